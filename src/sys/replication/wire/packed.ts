/**
 * Encodes and decodes values in messages between clusters: JSON values, bytes, undefined, integers of any size, and objects with very many
 * members.
 *
 * Encoding and decoding use an explicit stack and yield regularly, because a message of 8 MiB can contain millions of values. `pack` and
 * `unpack` are for values that are known to be short.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { fromUtf8Steps, toUtf8Steps } from '../../../core/base/long-text.ts'
import { Pace, runToEnd, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { entriesOf, PART_MEMBERS, WideObject } from '../../../core/json/wide-object.ts'
import { type PackedKind, PackedReader, PackedWriter } from './packed-bytes.ts'

export type Packable = unknown

/** The maximum depth of nested values. No kernel sends values that are nested more deeply. */
const MAX_LEVELS = 1100

/**
 * The maximum number of characters of an integer, as in JSON requests. It is limited because the time to convert an integer grows with the
 * square of the number of digits.
 */
const MAX_DIGITS = 1025

const INTEGER = /^-?[0-9]+$/

/** The estimated costs of a list entry and of an object member. The cost of the bytes of the value comes on top. */
const ITEM_MICROSECONDS = 0.3
const MEMBER_MICROSECONDS = 1.2
const BYTES_PER_MICROSECOND = 100

const costOf = (hasName: boolean, bytes: number): number =>
  (hasName ? MEMBER_MICROSECONDS : ITEM_MICROSECONDS) + bytes / BYTES_PER_MICROSECOND

/** The estimated memory of a member and of an object, without the memory of strings and byte arrays. */
const MEMBER_BYTES = 8
const OBJECT_BYTES = 48

/** The decoded values of a message may take `FREE_BYTES` of memory, plus `MEMORY_PER_BYTE` for each byte of the message. */
const FREE_BYTES = 8_388_608
const MEMORY_PER_BYTE = 8

/** A list or an object that is being encoded. The `name` of a list entry is undefined. */
interface WrittenContainer {
  readonly entries: Iterator<readonly [name: string | undefined, value: unknown]>
  readonly sizeAt: number
  written: number
}

/**
 * @param maxBytes The maximum length of the result in bytes.
 * @throws KernelError 413 as soon as the result is known to be too long; TypeError for functions, symbols, and values that are nested too
 * deep.
 */
export function* packSteps(value: Packable, maxBytes = Number.POSITIVE_INFINITY): Steps<Uint8Array> {
  const writer = new PackedWriter(maxBytes, messageTooLong)
  const pace = new Pace()
  const open: WrittenContainer[] = []
  let next: unknown = value
  try {
    for (;;) {
      const before = writer.length
      if (typeof next === 'string' && next.length > SLICE_BYTES) {
        if (next.length > maxBytes) throw messageTooLong(maxBytes)
        const bytes = yield* toUtf8Steps(next)
        writer.kind('text')
        writer.raw(bytes)
        yield
      } else if (!writeScalar(writer, next)) {
        if (open.length === MAX_LEVELS) throw new TypeError('the value is nested too deep')
        open.push(beginContainer(writer, next as object))
      }
      const entry = nextEntry(writer, open)
      if (!entry) break
      const [name] = entry
      if (name !== undefined) writer.raw(toUtf8(name))
      next = entry[1]
      if (pace.spend(costOf(name !== undefined, writer.length - before))) yield
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

/** Writes a value and returns true. If the value is a list or an object, writes nothing and returns false. */
function writeScalar(writer: PackedWriter, value: unknown): boolean {
  if (value === undefined) writer.kind('undefined')
  else if (value === null) writer.kind('null')
  else if (typeof value === 'boolean') writer.kind(value ? 'true' : 'false')
  else if (typeof value === 'number') writer.number(value)
  else if (typeof value === 'bigint' || typeof value === 'string') {
    writer.kind(typeof value === 'bigint' ? 'bigint' : 'text')
    writer.raw(toUtf8(String(value)))
  } else if (value instanceof Uint8Array) {
    writer.kind('bytes')
    writer.raw(value)
  } else if (typeof value === 'object') return false
  else throw new TypeError(`a ${typeof value} cannot be sent`)
  return true
}

function beginContainer(writer: PackedWriter, value: object): WrittenContainer {
  if (Array.isArray(value)) {
    writer.kind('list')
    return { entries: itemsOf(value), sizeAt: writer.size(0), written: 0 }
  }
  const isWide = value instanceof WideObject || Object.keys(value).length > PART_MEMBERS
  writer.kind(isWide ? 'wide' : 'object')
  return { entries: entriesOf(value), sizeAt: writer.size(0), written: 0 }
}

function* itemsOf(list: readonly unknown[]): Generator<readonly [undefined, unknown], void, void> {
  for (const item of list) yield [undefined, item]
}

/** Returns the next entry of the innermost open container; undefined at the end of the whole value. */
function nextEntry(writer: PackedWriter, open: WrittenContainer[]): readonly [string | undefined, unknown] | undefined {
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { done, value } = top.entries.next()
    if (!done) {
      top.written++
      return value
    }
    writer.setSize(top.sizeAt, top.written)
    open.pop()
  }
  return undefined
}

/** A list or an object that is being decoded. */
interface ReadContainer {
  readonly into: unknown[] | Record<string, unknown> | WideObject
  readonly size: number
  read: number
}

/**
 * Decodes a value. Returns undefined if the bytes are not a result of {@link packSteps}, or if the value would take far more memory than
 * the bytes.
 */
export function* unpackSteps(bytes: Uint8Array): Steps<{ readonly value: unknown } | undefined> {
  try {
    const reader = new PackedReader(bytes)
    const value = yield* read(reader, FREE_BYTES + bytes.length * MEMORY_PER_BYTE)
    return reader.isOver ? { value } : undefined
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns the result of {@link unpackSteps} without pauses. Only for values that are known to be short. */
export const unpack = (bytes: Uint8Array): { readonly value: unknown } | undefined => runToEnd(unpackSteps(bytes))

function* read(reader: PackedReader, maxMemory: number): Steps<unknown> {
  const pace = new Pace()
  const open: ReadContainer[] = []
  let memory = 0
  for (;;) {
    const before = reader.offset
    const parent = open.at(-1)
    const name = parent === undefined || Array.isArray(parent.into) ? '' : fromUtf8(reader.raw())
    const kind = reader.kind()
    let value: unknown
    memory += MEMBER_BYTES
    if (kind === 'list' || kind === 'object' || kind === 'wide') {
      memory += OBJECT_BYTES
      const container = beginReading(reader, kind)
      if (open.push(container) > MAX_LEVELS) throw new RangeError('the value is nested too deep')
      value = container.into
    } else value = kind === 'text' ? yield* textOf(reader.raw()) : scalarOf(reader, kind)
    if (memory > maxMemory) throw new RangeError('the values take too much memory')
    if (parent) put(parent, name, value)
    else if (open.length === 0) return value
    for (let top = open.at(-1); top?.read === top?.size; top = open.at(-1)) {
      open.pop()
      if (open.length === 0) return (top as ReadContainer).into
    }
    if (pace.spend(costOf(name !== '', reader.offset - before))) yield
  }
}

function beginReading(reader: PackedReader, kind: 'list' | 'object' | 'wide'): ReadContainer {
  const size = reader.size(kind === 'list' ? 1 : 5)
  if (kind === 'object' && size > PART_MEMBERS) throw new RangeError('an object has too many members')
  return { into: kind === 'list' ? [] : kind === 'wide' ? new WideObject() : {}, size, read: 0 }
}

function* textOf(bytes: Uint8Array): Steps<string> {
  return bytes.length > SLICE_BYTES ? yield* fromUtf8Steps(bytes) : fromUtf8(bytes)
}

function scalarOf(reader: PackedReader, kind: PackedKind): unknown {
  if (kind === 'number') return reader.number()
  if (kind === 'bytes') return reader.raw().slice()
  if (kind === 'bigint') return integerOf(reader.raw())
  if (kind === 'true' || kind === 'false') return kind === 'true'
  return kind === 'null' ? null : undefined
}

function integerOf(bytes: Uint8Array): bigint {
  const text = bytes.length <= MAX_DIGITS ? fromUtf8(bytes) : ''
  if (!INTEGER.test(text)) throw new RangeError('a number is invalid')
  return BigInt(text)
}

function put(container: ReadContainer, name: string, value: unknown): void {
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
  else object[name] = value
}

const messageTooLong = (limit: number): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `a message between clusters must have at most ${limit} bytes`, { details: { limit } })
