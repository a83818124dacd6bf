/**
 * Copies a request body that was passed as a value instead of bytes, so that later changes by its owner have no effect. A body of up to
 * 4,096 values is copied before the call returns. A longer one is copied in pieces, and must not change until the request has its answer.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import type { OnJsonGrowth } from '../json/json-cursor.ts'
import { PART_MEMBERS, WideObject } from '../json/wide-object.ts'

/** Levels of nesting, as for bodies passed as text. A cycle also ends here, or at the size limit. */
const MAX_DEPTH = 10_000

/** Values copied between two yields: 1 to 2 ms of work. */
const SLICE_VALUES = 4096

/** Arrays up to this length are allocated with their exact size. */
const SHORT_ARRAY_LENGTH = 1024

/** Bytes of memory of a copied container, including its slot. Texts, names and layouts are shared with the original. */
const CONTAINER_BYTES = 72

const ELEMENT_BYTES = 12

const MEMBER_BYTES = 24

/** Larger integers exceed a double, and are refused as in JSON text. */
const MAX_INTEGER = /* @__PURE__ */ BigInt(Number.MAX_VALUE)

/** An array or object that is being copied. */
interface CopyFrame {
  readonly source: object
  /** The names to copy, or undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  readonly copy: unknown[] | Record<string, unknown> | WideObject
  next: number
}

/** Lone surrogates become U+FFFD, as they do in JSON text. The methods exist since Node 20, their types since ES2024. */
interface WellFormed {
  isWellFormed(): boolean
  toWellFormed(): string
}

/**
 * A deep copy of a JSON value: plain objects (with the prototype of any realm's `Object`, or none; own enumerable string keys), arrays,
 * text, finite numbers, bigints, booleans, null. Bigints within 2^53 become numbers, `undefined` is omitted from objects and becomes null
 * in arrays, and `undefined` or null as a whole results in undefined. Every member is read once, and `toJSON` is never called. Yields after
 * 4,096 values, so a small value is copied by the first `next()`.
 * @param limitBytes Maximum size of the value as JSON text, estimated: characters count one byte each, and escapes are not counted.
 * @throws KernelError 400 for any other kind of value, a getter or proxy that throws, a cycle, or more than 10,000 levels of nesting;
 * `ERR_REQUEST_TOO_LARGE` (413) above the limit. Messages do not contain any part of the value.
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
 * {@link snapshotJson}, without steps if no pause is needed.
 * @param grow Called for copies that are made in steps.
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
  /** Estimated bytes of memory. */
  memory = 0
  #remaining: number
  readonly #limit: number
  readonly #frames: CopyFrame[] = []

  constructor(limit: number) {
    this.#limit = limit
    this.#remaining = limit
  }

  /** The estimated size as JSON text. */
  get copied(): number {
    return this.#limit - this.#remaining
  }

  start(value: unknown): void {
    this.result = this.#scalarOrFrame(value) ?? undefined
  }

  /** Copies up to `budget` values; returns whether the copy is complete. */
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

  #copyMember({ source, copy: whole, next }: CopyFrame, key: string): void {
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

  /** The copy of a value. For an object or array, the copy is still empty, and its frame becomes the innermost one. */
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
        if (value > MAX_INTEGER || value < -MAX_INTEGER) throw refuse('an integer beyond the range of a double')
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
    if (this.#frames.length === MAX_DEPTH) throw this.#cycleOr(refuse(`more than ${MAX_DEPTH} levels of nesting`))
    this.#take(2)
    const keys = keysOf(source)
    const length = keys ? keys.length : lengthOf(source)
    this.memory += CONTAINER_BYTES
    // Short arrays get their exact size, because growing arrays reserve space for 17 elements. A huge length must not be allocated at once.
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

  /** A cycle is detected only after a limit was exceeded, because looking for cycles earlier would cost every body. */
  #cycleOr(error: KernelError): KernelError {
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

/** `Object.prototype` of another realm, for example in test runners that use `node:vm`. */
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
