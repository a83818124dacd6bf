/**
 * The arrays and objects that the JSON reader is building. The reader has one container per level of nesting and uses it again for the next
 * value at that level.
 */
import { PART_MEMBERS, WideObject } from './wide-object.ts'

/**
 * When an object reaches this number of members, {@link keepSparse} is called, so that V8 does not store numeric names as array elements.
 */
const MANY_MEMBERS = 4096

/**
 * The memory in bytes that a name takes, measured in V8. `SAME_NAME_BYTES`: the previous object at this level has the same name at the same
 * index. `KNOWN_NAME_BYTES`: an earlier object at this level has the name. `NEW_NAME_BYTES`: all other names.
 */
const SAME_NAME_BYTES = 8

const KNOWN_NAME_BYTES = 40

const NEW_NAME_BYTES = 64

/** The memory in bytes of a new object layout (V8 calls it a hidden class). The first new name in an object creates a layout. */
const LAYOUT_BYTES = 96

/** The maximum number of names per level that are remembered for comparison. */
const COMPARED_NAMES = 64

export interface JsonContainer {
  array: unknown[] | undefined
  object: Record<string, unknown> | undefined
  /** The object being built, if it has too many members for a plain object. */
  wide: WideObject | undefined
  /** The name of the member whose value is being read. */
  name: string
  members: number
  /**
   * The names of this object up to the current member. The elements after it still contain the names of the previous object at this level.
   */
  names: string[]
  /** The names of earlier objects at this level, at most {@link COMPARED_NAMES}. */
  known: Set<string>
  /** Whether this object has a name that no earlier object at this level had. */
  differs: boolean
}

export const emptyContainer = (): JsonContainer => ({
  array: undefined,
  object: undefined,
  wide: undefined,
  name: '',
  members: 0,
  names: [],
  known: new Set(),
  differs: false,
})

/** Estimates the memory that a name adds to its object. Objects with the same names share most of this memory. */
export function nameBytes(open: JsonContainer, name: string): number {
  const { names, known, members, differs } = open
  const first = name.charCodeAt(0)
  // Count names that begin with a digit as new, because V8 may store them as array elements.
  if (!(first >= 0x30 && first <= 0x39)) {
    if (names[members] === name) return SAME_NAME_BYTES
    if (members < COMPARED_NAMES) names[members] = name
    if (known.has(name)) return KNOWN_NAME_BYTES
    if (known.size < COMPARED_NAMES) known.add(name)
  }
  open.differs = true
  return differs ? NEW_NAME_BYTES : NEW_NAME_BYTES + LAYOUT_BYTES
}

export function addValue(open: JsonContainer, value: unknown): void {
  const { array, object, name } = open
  if (array) array.push(value)
  else if (object) {
    if (open.members === PART_MEMBERS) {
      addToNextPart(open, value)
      return
    }
    if (++open.members === MANY_MEMBERS) keepSparse(object)
    if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    else object[name] = value
  }
}

export const hasMember = ({ object, wide }: JsonContainer, name: string): boolean =>
  wide?.has(name) ?? Object.hasOwn(object as object, name)

/** Begins the next part of an object that has grown too large for one part. */
function addToNextPart(open: JsonContainer, value: unknown): void {
  if (open.wide) open.wide.extend()
  else {
    open.wide = new WideObject([open.object as Record<string, unknown>])
    open.wide.extend()
  }
  open.object = open.wide.last
  open.members = 0
  addValue(open, value)
}

/**
 * Copies a short array to one of exactly the right size. An array that grows by `push` has space for 17 elements in V8, so a text with
 * millions of short arrays would otherwise take several times the memory.
 */
export const trimArray = (array: unknown[]): unknown[] => (array.length < 12 ? array.slice() : array)

/**
 * If an object has many numeric names, V8 may store it as an array with holes. If millions of such names arrive in descending order, this
 * takes seconds. Adding a name near 2^32 prevents this storage for good, even after the name is deleted.
 */
function keepSparse(object: Record<string, unknown>): void {
  if (Object.hasOwn(object, '4294967294')) return
  object['4294967294'] = undefined
  delete object['4294967294']
}
