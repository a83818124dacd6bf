/**
 * Arrays and objects while they are read: one container per level, used again for the next one at that level.
 */
import { PART_MEMBERS, WideObject } from './wide-object.ts'

/** From here on an object's numeric names are kept from being laid out as an array; see {@link keepSparse}. */
const MANY_MEMBERS = 4096

/** A name that the object before it, at the same level, has in the same place; one that was there in another place; any other. */
const SAME_NAME_BYTES = 8

const KNOWN_NAME_BYTES = 40

const NEW_NAME_BYTES = 64

/** Of a layout that no object before it has: one for each object with a new name. */
const LAYOUT_BYTES = 96

/** Names of a level that are compared. */
const COMPARED_NAMES = 64

/** An array or object being read. One per level, used again for the next container at that level. */
export interface JsonContainer {
  array: unknown[] | undefined
  object: Record<string, unknown> | undefined
  /** Where an object with very many members goes on. */
  wide: WideObject | undefined
  /** The member whose value comes next. */
  name: string
  members: number
  /** Of this object so far, then of the one before it at this level. */
  names: string[]
  /** Of all objects at this level, the first of them. */
  known: Set<string>
  /** Whether the object has a name that is new here. */
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

/** What a name adds to the memory an object takes: little where many objects look the same. */
export function nameBytes(open: JsonContainer, name: string): number {
  const { names, known, members, differs } = open
  const first = name.charCodeAt(0)
  // Names that begin with a digit may be kept as those of an array's elements are.
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
 * An array filled one by one keeps room for 17 elements, so short ones are replaced by exact copies: a text of millions of them
 * would take several times the memory otherwise.
 */
export const trim = (array: unknown[]): unknown[] => (array.length < 12 ? array.slice() : array)

/**
 * V8 turns an object with many numeric names into an array with holes when that looks compact, and takes seconds for it when
 * millions of such names come in descending order. A name near 2^32 rules that out for good, also after it has gone.
 */
function keepSparse(object: Record<string, unknown>): void {
  if (Object.hasOwn(object, '4294967294')) return
  object['4294967294'] = undefined
  delete object['4294967294']
}
