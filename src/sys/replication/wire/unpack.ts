/** Decodes values in messages between clusters, as `packed.ts` encodes them. */
import { fromUtf8 } from '../../../core/base/bytes.ts'
import { fromUtf8Steps } from '../../../core/base/long-text.ts'
import { Pace, runToEnd, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { PART_MEMBERS, WideObject } from '../../../core/json/wide-object.ts'
import { CborReader } from './cbor-reader.ts'
import { MAJOR } from './cbor-writer.ts'
import {
  BYTES_PER_MICROSECOND,
  ITEM_MICROSECONDS,
  MAX_LEVELS,
  MAX_VALUES,
  MEMBER_MICROSECONDS,
  MIN_SPENT_MICROSECONDS,
  tooManyValues,
} from './packed.ts'

/** The estimated memory of a member and of an object, without the memory of strings and byte arrays. */
const MEMBER_BYTES = 8
const OBJECT_BYTES = 48

/** The decoded values of a message may take `FREE_BYTES` of memory, plus `MEMORY_PER_BYTE` for each byte of the message. */
const FREE_BYTES = 8_388_608
const MEMORY_PER_BYTE = 16

/** A list or an object that is being decoded. */
interface ReadContainer {
  readonly into: unknown[] | Record<string, unknown> | WideObject
  readonly size: number
  read: number
  lastName: Uint8Array | undefined
}

/**
 * Decodes a value. Returns undefined if the bytes are not a result of {@link packSteps}, or if the value would take far more memory than
 * the bytes.
 */
export function* unpackSteps(bytes: Uint8Array): Steps<{ readonly value: unknown } | undefined> {
  try {
    const reader = new CborReader(bytes)
    const value = yield* read(reader, FREE_BYTES + bytes.length * MEMORY_PER_BYTE)
    return reader.done() ? { value } : undefined
  } catch {
    return undefined
  }
}

/** Returns the result of {@link unpackSteps} without pauses. Only for values that are known to be short. */
export const unpack = (bytes: Uint8Array): { readonly value: unknown } | undefined => runToEnd(unpackSteps(bytes))

function* read(reader: CborReader, maxMemory: number): Steps<unknown> {
  const pace = new Pace()
  const open: ReadContainer[] = []
  let memory = 0
  let [cost, length] = [0, 0]
  for (let values = 1; ; values++) {
    if (values > MAX_VALUES) throw tooManyValues()
    const parent = open.at(-1)
    let name: string | undefined
    if (parent && !Array.isArray(parent.into)) {
      const bytes = reader.content(MAJOR.text)
      if (parent.lastName && !isBefore(parent.lastName, bytes)) throw new RangeError('the names of an object are not in order')
      parent.lastName = bytes
      name = bytes.length > SLICE_BYTES ? yield* fromUtf8Steps(bytes) : fromUtf8(bytes)
    }
    const item = reader.item()
    memory += MEMBER_BYTES
    let value: unknown
    if ('size' in item) {
      memory += OBJECT_BYTES
      const into = item.kind === 'list' ? [] : item.size > PART_MEMBERS ? new WideObject() : {}
      if (open.push({ into, size: item.size, read: 0, lastName: undefined }) > MAX_LEVELS)
        throw new RangeError('the value is nested too deep')
      value = into
    } else if (item.kind === 'value') value = item.value
    else value = item.bytes.length > SLICE_BYTES ? yield* fromUtf8Steps(item.bytes) : fromUtf8(item.bytes)
    if (memory > maxMemory) throw new RangeError('the values take too much memory')
    if (parent) {
      const { into } = parent
      if (Array.isArray(into)) into.push(value)
      else if (name === '__proto__' || into instanceof WideObject) putSpecial(into, name as string, value, parent.read)
      else into[name as string] = value
      parent.read++
    } else if (open.length === 0) return value
    for (let top = open.at(-1); top?.read === top?.size; top = open.at(-1)) {
      open.pop()
      if (open.length === 0) return (top as ReadContainer).into
    }
    const [from, to] = [length, reader.pos()]
    length = to
    cost += (name === undefined ? ITEM_MICROSECONDS : MEMBER_MICROSECONDS) + (to - from) / BYTES_PER_MICROSECOND
    if (cost < MIN_SPENT_MICROSECONDS) continue
    if (pace.spend(cost)) yield
    cost = 0
  }
}

/** Whether a name comes before another one in the order of encodings. */
function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return a.length < b.length
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at < a.length && a[at]! < b[at]!
}

function putSpecial(into: Record<string, unknown> | WideObject, name: string, value: unknown, before: number): void {
  if (into instanceof WideObject && before > 0 && before % PART_MEMBERS === 0) into.extend()
  const object = into instanceof WideObject ? into.last : into
  // Assigning to this name would set the prototype of the object instead of adding a member.
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}
