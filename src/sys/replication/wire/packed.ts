/**
 * Encodes and decodes values in messages between clusters: JSON values, bytes, integers of any size, and objects with very many members.
 *
 * The format is CBOR in its deterministic encoding (RFC 8949 section 4.2.1). The names of an object are in ascending order of their encoding:
 * shorter names first, then in the order of their bytes. Members with the value undefined are omitted.
 *
 * Encoding and decoding use an explicit stack and yield regularly, because a message of 8 MiB can contain millions of values. `pack` and
 * `unpack` are for values that are known to be short.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { fromUtf8Steps, toUtf8Steps } from '../../../core/base/long-text.ts'
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, runToEnd, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { entriesOf, PART_MEMBERS, WideObject } from '../../../core/json/wide-object.ts'
import { CborReader } from './cbor-reader.ts'
import { CborWriter, MAJOR } from './cbor-writer.ts'

export type Packable = unknown

/** The maximum depth of nested values. No kernel sends values that are nested more deeply. */
const MAX_LEVELS = 1100

/** The maximum number of values in a message. A longer list could not grow without a long pause, because its entries are copied. */
const MAX_VALUES = 2_097_152

/** The estimated costs of a list entry and of an object member. The cost for the bytes of the value is added. */
const ITEM_MICROSECONDS = 1
const MEMBER_MICROSECONDS = 3
const DISTINCT_MICROSECONDS = 0.2
const BYTES_PER_MICROSECOND = 100

const costOf = (hasName: boolean, bytes: number): number =>
  (hasName ? MEMBER_MICROSECONDS : ITEM_MICROSECONDS) + bytes / BYTES_PER_MICROSECOND

/** The estimated memory of a member and of an object, without the memory of strings and byte arrays. */
const MEMBER_BYTES = 8
const OBJECT_BYTES = 48

/** The decoded values of a message may take `FREE_BYTES` of memory, plus `MEMORY_PER_BYTE` for each byte of the message. */
const FREE_BYTES = 8_388_608
const MEMORY_PER_BYTE = 16

/** A member of an object that is being encoded. `name` is encoded as UTF-8; `order` sorts as the encoding of the name does. */
interface WrittenMember {
  readonly name: Uint8Array
  readonly order: string
  readonly value: unknown
}

/** The remaining entries of a list or an object that is being encoded. Entries of lists have no name. */
type WrittenEntries = Iterator<{ readonly name?: Uint8Array; readonly value: unknown }>

/**
 * @param maxBytes The maximum length of the result in bytes.
 * @throws KernelError 413 as soon as the result is known to be too long or to have more than 2^21 values; TypeError for functions, symbols,
 * NaN, infinities, undefined list entries, and values that are nested too deep.
 */
export function* packSteps(value: Packable, maxBytes = Number.POSITIVE_INFINITY): Steps<Uint8Array> {
  const writer = new CborWriter(maxBytes, messageTooLong)
  const pace = new Pace()
  const open: WrittenEntries[] = []
  let next: unknown = value
  try {
    for (let values = 1; ; values++) {
      if (values > MAX_VALUES) throw tooManyValues()
      const before = writer.length
      let hasName = false
      if (typeof next === 'string') yield* writeText(writer, next, maxBytes)
      else if (!writeScalar(writer, next)) {
        if (open.length === MAX_LEVELS) throw new TypeError('the value is nested too deep')
        open.push(yield* beginContainer(writer, next as object, pace))
      }
      const entry = nextEntry(open)
      if (!entry) break
      if (entry.name) {
        writer.raw(MAJOR.text, entry.name)
        hasName = true
      }
      next = entry.value
      if (pace.spend(costOf(hasName, writer.length - before))) yield
    }
    const packed = writer.copy()
    if (packed.length > SLICE_BYTES) yield
    return packed
  } finally {
    writer.wipe()
  }
}

/** Returns the result of {@link packSteps} without pauses. Only for values that are known to be short. */
export const pack = (value: Packable): Uint8Array => runToEnd(packSteps(value))

function* writeText(writer: CborWriter, text: string, maxBytes: number): Steps<void> {
  if (text.length > maxBytes) throw messageTooLong(maxBytes)
  if (text.length <= SLICE_BYTES) return writer.raw(MAJOR.text, toUtf8(text))
  writer.raw(MAJOR.text, yield* toUtf8Steps(text))
  yield
}

/** Writes a value and returns true. If the value is a list or an object, writes nothing and returns false. */
function writeScalar(writer: CborWriter, value: unknown): boolean {
  if (value instanceof Uint8Array) writer.raw(MAJOR.bytes, value)
  else if (value === null || typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value))
    writer.scalar(value as null | boolean | bigint | number)
  else if (typeof value === 'object') return false
  else throw new TypeError(`${typeof value === 'number' ? value : `a value of the type ${typeof value}`} cannot be sent`)
  return true
}

function* beginContainer(writer: CborWriter, value: object, pace: Pace): Steps<WrittenEntries> {
  if (Array.isArray(value)) {
    writer.head(MAJOR.list, value.length)
    return itemsOf(value)
  }
  const members: WrittenMember[] = []
  for (const [text, member] of entriesOf(value)) {
    if (member === undefined) continue
    const name = text.length > SLICE_BYTES ? yield* toUtf8Steps(text) : toUtf8(text)
    members.push({ name, order: yield* orderOf(text, name), value: member })
    if (pace.spend(MEMBER_MICROSECONDS)) yield
  }
  const sorted = yield* sortSteps(members, ({ order }) => order)
  const distinct = yield* distinctMembers(sorted, pace)
  writer.head(MAJOR.map, distinct.length)
  return distinct[Symbol.iterator]()
}

/** Drops duplicate names, which a `WideObject` may contain. The last value counts. It is still the last after the sort, which is stable. */
function* distinctMembers(sorted: readonly WrittenMember[], pace: Pace): Steps<readonly WrittenMember[]> {
  const distinct: WrittenMember[] = []
  for (const [at, member] of sorted.entries()) {
    if (member.order !== sorted[at + 1]?.order) distinct.push(member)
    if (pace.spend(DISTINCT_MICROSECONDS)) yield
  }
  return distinct
}

function* itemsOf(list: readonly unknown[]): Generator<{ readonly value: unknown }, undefined, void> {
  for (const value of list) yield { value }
}

/** The number of characters that are converted at once, which takes about 1 ms. */
const CHUNK = 16_384

const HIGH = /[\ud800-\uffff]/

const EVERY_HIGH = /[\ud800-\uffff]/g

/**
 * Returns a string that sorts as the CBOR encoding of a name does: by the length in bytes, then by the bytes. The order of UTF-8 is the order of
 * UTF-16 if surrogates are moved after all other characters.
 */
function* orderOf(text: string, name: Uint8Array): Steps<string> {
  let order = String.fromCharCode(name.length >>> 16, name.length & 0xffff)
  if (!HIGH.test(text)) return order + text
  // Decode the encoded name: the encoding has replaced each surrogate without a pair by U+FFFD.
  const encoded = yield* textOf(name)
  for (let at = 0; at < encoded.length; at += CHUNK) {
    if (at > 0) yield
    order += encoded.slice(at, at + CHUNK).replace(EVERY_HIGH, moved)
  }
  return order
}

const moved = (character: string): string => {
  const unit = character.charCodeAt(0)
  return String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x0800)
}

/** Returns the next entry of the innermost open container; undefined at the end of the whole value. */
function nextEntry(open: WrittenEntries[]): { readonly name?: Uint8Array; readonly value: unknown } | undefined {
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { done, value } = top.next()
    if (!done) return value
    open.pop()
  }
  return undefined
}

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
  for (let values = 1; ; values++) {
    if (values > MAX_VALUES) throw tooManyValues()
    const before = reader.pos()
    const parent = open.at(-1)
    const name = parent === undefined || Array.isArray(parent.into) ? undefined : yield* textOf(nextName(reader, parent))
    const item = reader.item()
    memory += MEMBER_BYTES
    let value: unknown
    if ('size' in item) {
      memory += OBJECT_BYTES
      const into = item.kind === 'list' ? [] : item.size > PART_MEMBERS ? new WideObject() : {}
      if (open.push({ into, size: item.size, read: 0, lastName: undefined }) > MAX_LEVELS)
        throw new RangeError('the value is nested too deep')
      value = into
    } else value = item.kind === 'text' ? yield* textOf(item.bytes) : item.value
    if (memory > maxMemory) throw new RangeError('the values take too much memory')
    if (parent) put(parent, name, value)
    else if (open.length === 0) return value
    for (let top = open.at(-1); top?.read === top?.size; top = open.at(-1)) {
      open.pop()
      if (open.length === 0) return (top as ReadContainer).into
    }
    if (pace.spend(costOf(name !== undefined, reader.pos() - before))) yield
  }
}

/** Reads the name of a member. It must come after the previous name in the order of encodings. */
function nextName(reader: CborReader, container: ReadContainer): Uint8Array {
  const name = reader.text()
  if (container.lastName && !isBefore(container.lastName, name)) throw new RangeError('the names of an object are not in order')
  container.lastName = name
  return name
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return a.length < b.length
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at < a.length && a[at]! < b[at]!
}

function* textOf(bytes: Uint8Array): Steps<string> {
  return bytes.length > SLICE_BYTES ? yield* fromUtf8Steps(bytes) : fromUtf8(bytes)
}

function put(container: ReadContainer, name: string | undefined, value: unknown): void {
  const { into, read: before } = container
  container.read++
  if (Array.isArray(into)) {
    into.push(value)
    return
  }
  if (into instanceof WideObject && before > 0 && before % PART_MEMBERS === 0) into.extend()
  const object = into instanceof WideObject ? into.last : into
  // Assigning to this name would set the prototype of the object instead of adding a member.
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name as string] = value
}

const messageTooLong = (limit: number): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `a message between clusters must have at most ${limit} bytes`, { details: { limit } })

const tooManyValues = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `a message between clusters must have at most ${MAX_VALUES} values`, {
    details: { limit: MAX_VALUES },
  })
