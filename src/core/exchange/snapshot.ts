/**
 * A copy of a request body that came as a value instead of bytes, so that later changes by its owner have no effect: a body of up to
 * 4,096 values is copied before the call returns. A longer one is copied in pieces, and must not change until the answer is there.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import type { OnJsonGrowth } from '../json/json-cursor.ts'
import { PART_MEMBERS, WideObject } from '../json/wide-object.ts'

/** Levels of nesting, as for bodies that come as text. A cycle also ends here, or at the size limit. */
const DEEPEST = 10_000

/** Values copied between two yields: 1 to 2 ms of work. */
const SLICE = 4096

/** Arrays up to this length are allocated at their exact size. */
const SHORT = 1024

/** Bytes of memory that a copy takes, including its slot. It shares texts, names and layouts with its original. */
const CONTAINER_BYTES = 72

const ELEMENT_BYTES = 12

const MEMBER_BYTES = 24

/** Larger integers exceed a double and are refused as in JSON text. */
const LARGEST = /* @__PURE__ */ BigInt(Number.MAX_VALUE)

/** One array or object being copied. */
interface Frame {
  readonly source: object
  /** The names to copy, or undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  readonly copy: unknown[] | Record<string, unknown> | WideObject
  next: number
}

/** Lone surrogates become U+FFFD, as they do in JSON text. The methods came with Node 20, their types with ES2024. */
interface WellFormed {
  isWellFormed(): boolean
  toWellFormed(): string
}

/**
 * A deep copy of a JSON value: plain objects (the prototype of any realm's `Object`, or none; own enumerable string keys), arrays,
 * text, finite numbers, bigints, booleans, null. Bigints within 2^53 become numbers, `undefined` is left out of objects and null in
 * arrays, `undefined` and null as a whole give undefined. Every member is read once; `toJSON` is never called.
 * Yields after 4,096 values, so a small one is copied by the first `next()`.
 * @param limitBytes the most the value may take as JSON text, estimated: characters count one byte each, escapes are not counted.
 * @throws KernelError 400 for any other kind of value, a getter or proxy that throws, a cycle, more than 10,000 levels of nesting;
 * `ERR_REQUEST_TOO_LARGE` (413) above the limit. Messages hold nothing of the value.
 */
export function* snapshotJson(value: unknown, limitBytes: number): Steps<unknown> {
  const snapshot = new Snapshot(limitBytes)
  snapshot.start(value)
  return yield* finishSnapshot(snapshot)
}

function* finishSnapshot(snapshot: Snapshot, grow?: OnJsonGrowth): Steps<unknown> {
  while (!snapshot.copy(SLICE)) {
    grow?.(snapshot.memory, snapshot.copied)
    yield
  }
  grow?.(snapshot.memory, snapshot.copied)
  return snapshot.result
}

/**
 * {@link snapshotJson} without steps where no pause is needed.
 * @param grow Called for copies that are made in steps.
 */
export function snapshotJsonSoon<T>(
  value: unknown,
  limitBytes: number,
  take: (copy: unknown) => T,
  later: (steps: Steps<unknown>) => T,
  grow?: OnJsonGrowth,
): T {
  const snapshot = new Snapshot(limitBytes)
  snapshot.start(value)
  return snapshot.copy(SLICE) ? take(snapshot.result) : later(finishSnapshot(snapshot, grow))
}

class Snapshot {
  result: unknown
  /** Estimated bytes of memory. */
  memory = 0
  #room: number
  readonly #limit: number
  readonly #frames: Frame[] = []

  constructor(limit: number) {
    this.#limit = limit
    this.#room = limit
  }

  /** The estimated size as JSON text. */
  get copied(): number {
    return this.#limit - this.#room
  }

  start(value: unknown): void {
    this.result = this.#scalarOrFrame(value) ?? undefined
  }

  /** Copies up to `budget` values; returns whether that was all. */
  copy(budget: number): boolean {
    const frames = this.#frames
    for (let left = budget; left > 0; left--) {
      const frame = frames[frames.length - 1]
      if (!frame) return true
      if (frame.next === frame.length) {
        frames.pop()
        continue
      }
      const at = frame.next++
      this.memory += frame.keys ? MEMBER_BYTES : ELEMENT_BYTES
      if (frame.keys) this.#copyMember(frame, frame.keys[at] as string)
      else (frame.copy as unknown[])[at] = this.#scalarOrFrame(read(frame.source, at) ?? null)
    }
    return frames.length === 0
  }

  #copyMember({ source, copy: whole, next }: Frame, key: string): void {
    const value = read(source, key)
    if (value === undefined) return
    this.#take(key.length + 3)
    const name = wellFormed(key)
    const copied = this.#scalarOrFrame(value)
    if (whole instanceof WideObject && next % PART_MEMBERS === 0) whole.extend()
    const copy = whole instanceof WideObject ? whole.last : whole
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copied, writable: true, enumerable: true, configurable: true })
    else (copy as Record<string, unknown>)[name] = copied
  }

  /** The copy of a value. For an object or array the copy is still empty, and its frame becomes the innermost. */
  #scalarOrFrame(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        this.#take(value.length + 3)
        return wellFormed(value)
      case 'number':
        if (!Number.isFinite(value)) throw refuse('a number has to be finite')
        this.#take(value >= 0 && value < 10 ? 2 : String(value).length + 1)
        // Minus zero has no sign in JSON text.
        return value + 0
      case 'boolean':
      case 'undefined':
        this.#take(5)
        return value
      case 'bigint': {
        if (value > LARGEST || value < -LARGEST) throw refuse('an integer beyond the range of a double')
        const number = Number(value)
        this.#take(String(value).length + 1)
        return Number.isSafeInteger(number) ? number : value
      }
      case 'object':
        if (value !== null) return this.#open(value)
        this.#take(5)
        return null
      default:
        throw refuse(`a ${typeof value} is not a JSON value`)
    }
  }

  #open(source: object): unknown {
    if (this.#frames.length === DEEPEST) throw this.#endless(refuse(`more than ${DEEPEST} levels of nesting`))
    this.#take(2)
    const keys = keysOf(source)
    const length = keys ? keys.length : lengthOf(source)
    this.memory += CONTAINER_BYTES
    // An exact size, where the caller's length is harmless: growing arrays reserve room for 17 elements.
    const copy = keys ? (length > PART_MEMBERS ? new WideObject() : {}) : length <= SHORT ? new Array<unknown>(length) : []
    this.#frames.push({ source, keys, length, copy, next: 0 })
    return copy
  }

  #take(bytes: number): void {
    this.#room -= bytes
    if (this.#room >= 0) return
    const message = `the request body is larger than ${this.#limit} bytes`
    throw this.#endless(new KernelError('ERR_REQUEST_TOO_LARGE', message, { details: { limit: this.#limit } }))
  }

  /** A cycle is detected only when it has exceeded a limit; looking for one earlier would cost every body. */
  #endless(error: KernelError): KernelError {
    const sources = new Set(this.#frames.map((frame) => frame.source))
    return sources.size < this.#frames.length ? refuse('an object or array contains itself') : error
  }
}

/** Own enumerable names of a plain object; undefined for an array. */
function keysOf(source: object): readonly string[] | undefined {
  let plain: boolean
  try {
    if (Array.isArray(source)) return undefined
    const prototype: unknown = Object.getPrototypeOf(source)
    plain = prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype as object)
    if (plain) return Object.keys(source)
  } catch {
    throw refuse('a proxy refused to be read')
  }
  throw refuse('an instance of a class (such as Date, Map or a typed array) is not a JSON value')
}

/** `Object.prototype` of another realm, as in test runners that use `node:vm`. */
const isForeignObjectPrototype = (prototype: object): boolean =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')

function lengthOf(source: object): number {
  const length = read(source, 'length')
  if (!Number.isSafeInteger(length) || (length as number) < 0) throw refuse('a proxy refused to be read')
  return length as number
}

function read(source: object, key: string | number): unknown {
  try {
    return (source as Record<string | number, unknown>)[key]
  } catch {
    throw refuse('a getter or proxy failed')
  }
}

function wellFormed(text: string): string {
  const checked = text as unknown as WellFormed
  return checked.isWellFormed() ? text : checked.toWellFormed()
}

const refuse = (what: string): KernelError => invalid(`error reading the request body: ${what}`)
