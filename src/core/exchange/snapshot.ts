/**
 * Copies a request body that was passed as a value instead of bytes, so that later changes by the application have no effect. A body with
 * at most 4,096 values is copied before the call returns. A larger body is copied in several steps and must not be changed until the
 * request has been answered.
 */
import { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import { isWellFormed, toWellFormed } from '../base/well-formed.ts'
import type { OnJsonGrowth } from '../json/json-cursor.ts'
import { PART_MEMBERS, WideObject } from '../json/wide-object.ts'
import { bodyError, keysOf, lengthOf, readMember } from './source-object.ts'

/**
 * The maximum number of levels of nesting, the same as for bodies that are passed as text. A value that contains itself exceeds this limit
 * or the size limit.
 */
const MAX_DEPTH = 10_000

/** The number of values that are copied between two yields, in 1 to 2 ms. */
const SLICE_VALUES = 4096

/** Arrays of at most this length are allocated with their exact size. */
const SHORT_ARRAY_LENGTH = 1024

/**
 * The estimated memory of a copied array or object in bytes, including its slot. Strings, names and object layouts are shared with the
 * original.
 */
const CONTAINER_BYTES = 72

const ELEMENT_BYTES = 12

const MEMBER_BYTES = 24

/** The greatest finite double. Greater integers are refused, as in JSON text. */
const MAX_INTEGER = /* @__PURE__ */ BigInt(Number.MAX_VALUE)

/** An array or object that is being copied. */
interface CopyFrame {
  readonly source: object
  /** The names of the members to copy. Undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  readonly copy: unknown[] | Record<string, unknown> | WideObject
  next: number
}

/**
 * Returns a deep copy of a JSON value. Accepts plain objects, arrays, strings, finite numbers, bigints, booleans and null. An object is
 * plain if its prototype is null or the `Object.prototype` of any realm; only its own enumerable string keys are copied. Bigints within 2^53
 * become numbers. `undefined` is omitted from objects and becomes null in arrays. If the whole value is `undefined` or null, the result is
 * undefined. Every member is read once, and `toJSON` is never called. Yields after every 4,096 values. So the first call of `next()` copies
 * a value of at most that size completely.
 * @param limitBytes The maximum size of the value as JSON text. The size is estimated: each character counts as one byte, and escapes are
 * not counted.
 * @throws KernelError 400 if a value is not of these types, if a getter or proxy throws, if a value contains itself, or if there are more
 * than 10,000 levels of nesting. `ERR_REQUEST_TOO_LARGE` (413) if the value exceeds `limitBytes`. Messages do not contain any part of the
 * value.
 */
export function* snapshotJson(value: unknown, limitBytes: number): Steps<unknown> {
  const snapshot = new Snapshot(limitBytes)
  snapshot.start(value)
  return yield* finishSnapshot(snapshot)
}

function* finishSnapshot(snapshot: Snapshot, grow?: OnJsonGrowth): Steps<unknown> {
  while (!snapshot.copy(SLICE_VALUES)) {
    grow?.(snapshot.memory, snapshot.copied)
    yield
  }
  grow?.(snapshot.memory, snapshot.copied)
  return snapshot.result
}

/**
 * Like {@link snapshotJson}. Calls `take` with the copy if the copy needs no pause. Otherwise calls `later` with a generator that finishes
 * the copy.
 * @param grow Called before each pause and at the end, with the memory that the copy uses so far. Not called if the copy needs no pause. If
 * `grow` throws, the copy fails.
 */
export function snapshotJsonOrSteps<T>(
  value: unknown,
  limitBytes: number,
  take: (copy: unknown) => T,
  later: (steps: Steps<unknown>) => T,
  grow?: OnJsonGrowth,
): T {
  const snapshot = new Snapshot(limitBytes)
  snapshot.start(value)
  return snapshot.copy(SLICE_VALUES) ? take(snapshot.result) : later(finishSnapshot(snapshot, grow))
}

class Snapshot {
  result: unknown
  /** The estimated memory of the copy in bytes. */
  memory = 0
  #remaining: number
  readonly #limit: number
  readonly #frames: CopyFrame[] = []

  constructor(limit: number) {
    this.#limit = limit
    this.#remaining = limit
  }

  /** The estimated size of the copied part as JSON text. */
  get copied(): number {
    return this.#limit - this.#remaining
  }

  start(value: unknown): void {
    this.result = this.#scalarOrFrame(value) ?? undefined
  }

  /** Copies at most `budget` values. Returns whether the copy is complete. */
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
      else (frame.copy as unknown[])[at] = this.#scalarOrFrame(readMember(frame.source, at) ?? null)
    }
    return frames.length === 0
  }

  #copyMember({ source, copy: whole, next }: CopyFrame, key: string): void {
    const value = readMember(source, key)
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

  /**
   * Returns the copy of a scalar. For an array or object, returns an empty copy and adds a frame whose elements or members will be copied
   * next.
   */
  #scalarOrFrame(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        this.#take(value.length + 3)
        return wellFormed(value)
      case 'number':
        if (!Number.isFinite(value)) throw bodyError('a number has to be finite')
        this.#take(value >= 0 && value < 10 ? 2 : String(value).length + 1)
        // Adding 0 changes -0 to 0, as in JSON text.
        return value + 0
      case 'boolean':
      case 'undefined':
        this.#take(5)
        return value
      case 'bigint': {
        if (value > MAX_INTEGER || value < -MAX_INTEGER) throw bodyError('an integer beyond the range of a double')
        const number = Number(value)
        this.#take(String(value).length + 1)
        return Number.isSafeInteger(number) ? number : value
      }
      case 'object':
        if (value !== null) return this.#open(value)
        this.#take(5)
        return null
      default:
        throw bodyError(`a ${typeof value} is not a JSON value`)
    }
  }

  #open(source: object): unknown {
    if (this.#frames.length === MAX_DEPTH) throw this.#cycleOr(bodyError(`more than ${MAX_DEPTH} levels of nesting`))
    this.#take(2)
    const keys = keysOf(source)
    const length = keys ? keys.length : lengthOf(source)
    this.memory += CONTAINER_BYTES
    // Short arrays get their exact size, because a growing array reserves space for 17 elements. Longer arrays grow, because their `length`
    // may be huge and must not be allocated at once.
    const copy = keys
      ? length > PART_MEMBERS
        ? new WideObject()
        : {}
      : length <= SHORT_ARRAY_LENGTH
        ? new Array<unknown>(length)
        : []
    this.#frames.push({ source, keys, length, copy, next: 0 })
    return copy
  }

  #take(bytes: number): void {
    this.#remaining -= bytes
    if (this.#remaining >= 0) return
    const message = `the request body is larger than ${this.#limit} bytes`
    throw this.#cycleOr(new KernelError('ERR_REQUEST_TOO_LARGE', message, { details: { limit: this.#limit } }))
  }

  /** Looks for a value that contains itself only after a limit was exceeded, because looking earlier would slow down every copy. */
  #cycleOr(error: KernelError): KernelError {
    const sources = new Set(this.#frames.map((frame) => frame.source))
    return sources.size < this.#frames.length ? bodyError('an object or array contains itself') : error
  }
}

/** Replaces unpaired surrogates by U+FFFD, as the JSON reader does. */
const wellFormed = (text: string): string => (isWellFormed(text) ? text : toWellFormed(text))
