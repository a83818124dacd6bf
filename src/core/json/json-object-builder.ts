/** Builds JSON objects of any size, with any member names. */
import { memberNames, PART_MEMBERS, WideObject } from './wide-object.ts'

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number of members. For a wide object, a lower bound. */
export const memberCount = (object: object): number =>
  object instanceof WideObject ? PART_MEMBERS + 1 : (memberNames(object) as readonly string[]).length

/** Builds an object member by member. */
export class JsonObjectBuilder {
  readonly object: Record<string, unknown> | WideObject
  #count = 0

  /** @param atMost An upper bound for the number of members. If it exceeds {@link PART_MEMBERS}, a wide object is built. */
  constructor(atMost: number) {
    this.object = atMost > PART_MEMBERS ? new WideObject() : {}
  }

  /** Sets a member. Each name may be used only once. */
  set(name: string, value: unknown): void {
    const { object } = this
    const wide = object instanceof WideObject
    if (wide && this.#count > 0 && this.#count % PART_MEMBERS === 0) object.extend()
    this.#count++
    const part = wide ? object.last : object
    if (name === '__proto__') Object.defineProperty(part, name, { value, writable: true, enumerable: true, configurable: true })
    else part[name] = value
  }
}
