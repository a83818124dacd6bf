/** The arrays and objects that the JSON reader is building. There is one container per level of nesting, and it is reused. */
import { PART_MEMBERS, WideObject } from './wide-object.ts'

/** From this size on, an object's numeric names must not become array elements; see {@link keepSparse}. */
const MANY_MEMBERS = 4096

/**
 * Memory of a name, measured in V8. Same: the previous object at this level has the name at the same index. Known: an earlier object at
 * this level has the name. New: any other name.
 */
const SAME_NAME_BYTES = 8

const KNOWN_NAME_BYTES = 40

const NEW_NAME_BYTES = 64

/** Memory of a new object layout (hidden class), which an object with a new name causes once. */
const LAYOUT_BYTES = 96

/** The number of names per level that are compared. */
const COMPARED_NAMES = 64

export interface JsonContainer {
  array: unknown[] | undefined
  object: Record<string, unknown> | undefined
  /** Set if the object has too many members for a plain object. */
  wide: WideObject | undefined
  /** The name of the member whose value is read next. */
  name: string
  members: number
  /** The names of this object; after the current index, those of the previous object at this level. */
  names: string[]
  /** Names that objects at this level have had, up to {@link COMPARED_NAMES}. */
  known: Set<string>
  /** This object has a name that is new at this level. */
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

/** Estimates the memory that a name adds to its object; objects with equal names share most of it. */
export function nameBytes(open: JsonContainer, name: string): number {
  const { names, known, members, differs } = open
  const first = name.charCodeAt(0)
  // V8 may store names that begin with a digit as array elements, so these are always counted as new.
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

/** Begins the next part of an object that has become large. */
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
 * V8 reserves space for 17 elements in an array that grows by `push`. Short arrays are replaced by exact copies, because a text with
 * millions of them would take several times the memory otherwise.
 */
export const trimArray = (array: unknown[]): unknown[] => (array.length < 12 ? array.slice() : array)

/**
 * V8 stores an object with many numeric names as an array with holes if that looks compact, which takes seconds if millions of such names
 * arrive in descending order. A name near 2^32 rules that out permanently, even after it is deleted.
 */
function keepSparse(object: Record<string, unknown>): void {
  if (Object.hasOwn(object, '4294967294')) return
  object['4294967294'] = undefined
  delete object['4294967294']
}
