/**
 * Encodes values in messages between clusters: JSON values, bytes, integers of any size, and objects with very many members.
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
import { entriesOf, WideObject } from '../../../core/json/wide-object.ts'
import { type CborScalar, CborWriter, MAJOR } from './cbor-writer.ts'

export type Packable = unknown

/** The maximum depth of nested values. No kernel sends values that are nested more deeply. */
export const MAX_LEVELS = 1100

/** The maximum number of values in a message. A longer list could not grow without a long pause, because its entries are copied. */
export const MAX_VALUES = 2_097_152

/** The estimated costs of a list entry and of an object member. The cost for the bytes of the value is added. */
export const ITEM_MICROSECONDS = 1
export const MEMBER_MICROSECONDS = 3
const DISTINCT_MICROSECONDS = 0.2
export const BYTES_PER_MICROSECOND = 100

/** Smaller costs are added up before they are spent. */
export const MIN_SPENT_MICROSECONDS = 100

/** A list or an object that is being encoded. */
interface WrittenContainer {
  readonly values: readonly unknown[]
  /** The names of the members of an object. They are encoded as UTF-8 unless they are short names. */
  readonly names: readonly (Uint8Array | string)[] | undefined
  /** The number of values that were written. */
  written: number
}

/** A member of an object. `name` is encoded as UTF-8; `order` sorts as the encoding of the name does. */
interface SortedMember {
  readonly name: Uint8Array
  readonly order: string
  readonly value: unknown
}

/** The maximum number of members of an object that is sorted at once. */
const MAX_FEW_MEMBERS = 256

/** Matches names that need no encoding. */
const SHORT_NAME = /^[\0-\x7f]{0,23}$/

/**
 * @param maxBytes The maximum length of the result in bytes.
 * @throws KernelError 413 as soon as the result is known to be too long or to have more than 2^21 values; TypeError for functions, symbols,
 * NaN, infinities, undefined list entries, and values that are nested too deep.
 */
export function* packSteps(value: Packable, maxBytes = Number.POSITIVE_INFINITY): Steps<Uint8Array> {
  const writer = new CborWriter(maxBytes, messageTooLong)
  const pace = new Pace()
  const open: WrittenContainer[] = []
  let next: unknown = value
  let cost = 0
  try {
    for (let values = 1; ; values++) {
      if (values > MAX_VALUES) throw tooManyValues()
      let bytes = 0
      if (typeof next === 'string') {
        bytes = next.length
        if (next.length > SLICE_BYTES) yield* writeLongText(writer, next, maxBytes)
        else writer.text(next)
      } else if (next instanceof Uint8Array) {
        bytes = next.length
        writer.raw(MAJOR.bytes, next)
      } else if (typeof next === 'object' && next !== null) {
        if (open.length === MAX_LEVELS) throw new TypeError('the value is nested too deep')
        const container = Array.isArray(next) ? listContainer(next) : (fewMembersOf(next) ?? (yield* membersOf(next, pace)))
        writer.head(container.names ? MAJOR.map : MAJOR.list, container.values.length)
        open.push(container)
      } else if (typeof next === 'number' && next >>> 0 === next && !Object.is(next, -0)) writer.head(MAJOR.unsigned, next)
      else {
        const from = writer.length
        writer.scalar(scalarOf(next))
        bytes = writer.length - from
      }
      let top = open.at(-1)
      while (top && top.written === top.values.length) {
        open.pop()
        top = open.at(-1)
      }
      if (!top) break
      const name = top.names?.[top.written]
      if (typeof name === 'string') writer.shortText(name)
      else if (name) writer.raw(MAJOR.text, name)
      next = top.values[top.written++]
      cost += (name === undefined ? ITEM_MICROSECONDS : MEMBER_MICROSECONDS) + bytes / BYTES_PER_MICROSECOND
      if (cost < MIN_SPENT_MICROSECONDS) continue
      if (pace.spend(cost)) yield
      cost = 0
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

function* writeLongText(writer: CborWriter, text: string, maxBytes: number): Steps<void> {
  if (text.length > maxBytes) throw messageTooLong(maxBytes)
  writer.raw(MAJOR.text, yield* toUtf8Steps(text))
  yield
}

/** @throws TypeError for a value that cannot be encoded. */
function scalarOf(value: unknown): CborScalar {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value))
    return value as CborScalar
  throw new TypeError(`${typeof value === 'number' ? value : `a value of the type ${typeof value}`} cannot be sent`)
}

const listContainer = (values: readonly unknown[]): WrittenContainer => ({ values, names: undefined, written: 0 })

/** Returns the members of an object that has few members with short names, such as a message; otherwise undefined. */
function fewMembersOf(value: object): WrittenContainer | undefined {
  if (value instanceof WideObject) return undefined
  const members = value as Readonly<Record<string, unknown>>
  const all = Object.keys(members)
  if (all.length > MAX_FEW_MEMBERS) return undefined
  const names: string[] = []
  for (const name of all) {
    if (!SHORT_NAME.test(name)) return undefined
    if (members[name] !== undefined) names.push(name)
  }
  names.sort(compareShortNames)
  return { values: names.map((name) => members[name]), names, written: 0 }
}

const compareShortNames = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

function* membersOf(value: object, pace: Pace): Steps<WrittenContainer> {
  const members: SortedMember[] = []
  for (const [text, member] of entriesOf(value)) {
    if (member === undefined) continue
    const name = text.length > SLICE_BYTES ? yield* toUtf8Steps(text) : toUtf8(text)
    members.push({ name, order: yield* orderOf(text, name), value: member })
    if (pace.spend(MEMBER_MICROSECONDS)) yield
  }
  const sorted = yield* sortSteps(members, ({ order }) => order)
  const names: Uint8Array[] = []
  const values: unknown[] = []
  for (const [at, { name, order, value: member }] of sorted.entries()) {
    // A `WideObject` may contain a name twice. The last value counts. It is still the last after the sort, which is stable.
    if (order !== sorted[at + 1]?.order) {
      names.push(name)
      values.push(member)
    }
    if (pace.spend(DISTINCT_MICROSECONDS)) yield
  }
  return { values, names, written: 0 }
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

function* textOf(bytes: Uint8Array): Steps<string> {
  return bytes.length > SLICE_BYTES ? yield* fromUtf8Steps(bytes) : fromUtf8(bytes)
}

const moved = (character: string): string => {
  const unit = character.charCodeAt(0)
  return String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x0800)
}

const messageTooLong = (limit: number): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `a message between clusters must have at most ${limit} bytes`, { details: { limit } })

export const tooManyValues = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `a message between clusters must have at most ${MAX_VALUES} values`, {
    details: { limit: MAX_VALUES },
  })
