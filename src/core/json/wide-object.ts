/**
 * A JSON object with very many members.
 *
 * A plain object of a million members blocks the event loop: it grows by copying itself as a whole, and listing its names takes
 * seconds. So members are spread over parts of bounded size.
 */

type ObjectPart = Record<string, unknown>

/** Members per part: growing one to this size takes well under a millisecond. */
export const PART_MEMBERS = 16_384

export class WideObject {
  readonly #parts: ObjectPart[]

  /** If two parts have the same name, the later part wins. */
  constructor(parts: ObjectPart[] = [{}]) {
    this.#parts = parts
  }

  /** The part that takes the next members. */
  get last(): ObjectPart {
    return this.#parts[this.#parts.length - 1] as ObjectPart
  }

  /** Begins the next part. */
  extend(): void {
    this.#parts.push({})
  }

  get(name: string): unknown {
    return this.#parts.findLast((part) => Object.hasOwn(part, name))?.[name]
  }

  has(name: string): boolean {
    return this.#parts.some((part) => Object.hasOwn(part, name))
  }

  /** Stops native serialisation, which would find no members. */
  toJSON(): never {
    throw new TypeError('a wide object is written by jsonText')
  }

  *names(): Generator<string, void, void> {
    for (const part of this.#parts) yield* Object.keys(part)
  }

  /** A name in two parts comes twice, the valid value last. */
  *entries(): Generator<readonly [string, unknown], void, void> {
    for (const part of this.#parts) for (const name of Object.keys(part)) yield [name, part[name]]
  }
}

/** The member sent under a name, never an inherited one. */
export function memberOf(object: object, name: string): unknown {
  if (object instanceof WideObject) return object.get(name)
  return Object.hasOwn(object, name) ? (object as ObjectPart)[name] : undefined
}

/** The names of the members sent. */
export const namesOf = (object: object): Iterable<string> => (object instanceof WideObject ? object.names() : Object.keys(object))

/** The names with their values, which is cheaper than looking each up. */
export const entriesOf = (object: object): Generator<readonly [string, unknown], void, void> =>
  object instanceof WideObject ? object.entries() : plainEntries(object as ObjectPart)

function* plainEntries(object: ObjectPart): Generator<readonly [string, unknown], void, void> {
  for (const name of Object.keys(object)) yield [name, object[name]]
}
