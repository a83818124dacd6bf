/**
 * Conversions between strings and UTF-8, and copies of bytes.
 */
const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const EMPTY: Uint8Array = /* @__PURE__ */ new Uint8Array(0)

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Returns the same memory as a plain Uint8Array. A caller's `Buffer` is a subclass, whose `slice` does not copy. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)

/** @throws TypeError if the bytes are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/**
 * Up to this many bytes, a loop is faster than `set`. `set` needs a view, and before V8 creates a view of a short array, it moves the bytes
 * off the heap.
 */
const FEW = 96

/** Copies `n` bytes. */
export function copyBytes(from: Uint8Array, at: number, to: Uint8Array, toAt: number, n: number): void {
  if (n <= FEW) for (let i = 0; i < n; i++) to[toAt + i] = from[at + i] as number
  else to.set(at === 0 && n === from.length ? from : from.subarray(at, at + n), toAt)
}
