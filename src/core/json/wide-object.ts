/**
 * A JSON object with a very large number of members.
 *
 * A plain object with a million members blocks the event loop: V8 copies it as a whole when it grows, and listing its names takes seconds.
 * A wide object distributes the members over parts of limited size.
 */

type ObjectPart = Record<string, unknown>

/** The maximum number of members per part. Growing a part to this size takes well under a millisecond. */
export const PART_MEMBERS = 16_384

export class WideObject {
  readonly #parts: ObjectPart[]

  /** If two parts contain the same name, the value in the later part is valid. */
  constructor(parts: ObjectPart[] = [{}]) {
    this.#parts = parts
  }

  /** The part to which new members are added. */
  get last(): ObjectPart {
    return this.#parts[this.#parts.length - 1] as ObjectPart
  }

  /** Begins another part. */
  extend(): void {
    this.#parts.push({})
  }

  get(name: string): unknown {
    return this.#parts.findLast((part) => Object.hasOwn(part, name))?.[name]
  }

  has(name: string): boolean {
    return this.#parts.some((part) => Object.hasOwn(part, name))
  }

  /** Makes `JSON.stringify` fail, which would otherwise write an object without members. */
  toJSON(): never {
    throw new TypeError('a wide object must be written with jsonText')
  }

  *names(): Generator<string, void, void> {
    for (const part of this.#parts) yield* Object.keys(part)
  }

  /** If two parts contain the same name, the name is yielded twice, with the valid value last. */
  *entries(): Generator<readonly [string, unknown], void, void> {
    for (const part of this.#parts) for (const name of Object.keys(part)) yield [name, part[name]]
  }
}

/** The value of an own member. Undefined for inherited members. */
export function memberOf(object: object, name: string): unknown {
  if (object instanceof WideObject) return object.get(name)
  return Object.hasOwn(object, name) ? (object as ObjectPart)[name] : undefined
}

/** The names of the own members. */
export const memberNames = (object: object): Iterable<string> =>
  object instanceof WideObject ? object.names() : Object.keys(object)

/** The names and values of the own members. Faster than reading the value of each name separately. */
export const entriesOf = (object: object): Generator<readonly [string, unknown], void, void> =>
  object instanceof WideObject ? object.entries() : plainEntries(object as ObjectPart)

function* plainEntries(object: ObjectPart): Generator<readonly [string, unknown], void, void> {
  for (const name of Object.keys(object)) yield [name, object[name]]
}
