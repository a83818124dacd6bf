/**
 * Converts ECDSA signatures to and from DER. Sources: RFC 3279 section 2.2.3 (SEQUENCE of two INTEGERs), X.690 sections 8.1, 8.3 and 10
 * (each value has one encoding).
 */
import { invalid } from '../base/errors.ts'

const SEQUENCE = 0x30
const INTEGER = 0x02

const malformed = (): Error => invalid('signature: must be a DER sequence of two integers')

/** @param signature r || s, two halves of equal length. @returns Bytes that the caller owns. */
export function encodeEcdsaSignature(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2
  const r = firstOf(signature, 0, half)
  const s = firstOf(signature, half, half)
  const size = sizeOf(signature, r, half) + sizeOf(signature, s, 2 * half)
  // One length byte suffices, because the longest signature (P-521) has 139 bytes.
  const isLong = size >= 0x80
  const der = new Uint8Array((isLong ? 3 : 2) + size)
  let at = 0
  der[at++] = SEQUENCE
  if (isLong) der[at++] = 0x81
  der[at++] = size
  at = integer(signature, r, half, der, at)
  integer(signature, s, 2 * half, der, at)
  return der
}

/**
 * Returns r || s with halves of `size` bytes (32, 48 or 66). The caller owns the result. Undefined if an integer is zero, negative or too
 * large: such a signature is well-formed but never valid, so its verification must return false instead of an error.
 * @throws KernelError 400 if the bytes are not the DER encoding of two integers, for example because of padded integers or lengths,
 * truncated bytes or trailing bytes
 */
export function decodeEcdsaSignature(der: Uint8Array, size: number): Uint8Array | undefined {
  const sequence = element(der, 0, der.length, SEQUENCE)
  if (sequence.to !== der.length) throw malformed()
  const r = element(der, sequence.from, sequence.to, INTEGER)
  const s = element(der, r.to, sequence.to, INTEGER)
  if (s.to !== sequence.to) throw malformed()
  const signature = new Uint8Array(2 * size)
  // Decode both integers before returning, so that malformed signatures cause an error whatever the value of the first integer is.
  const rFits = copyPositiveInteger(der, r.from, r.to, signature, size)
  const sFits = copyPositiveInteger(der, s.from, s.to, signature, 2 * size)
  return rFits && sFits ? signature : undefined
}

/** The offset of the first non-zero byte of the integer that begins at `at`. */
function firstOf(bytes: Uint8Array, at: number, size: number): number {
  let first = at
  while (first < at + size - 1 && bytes[first] === 0) first++
  return first
}

/** Returns 1 if the integer needs a leading zero byte, otherwise 0. A DER integer whose first bit is 1 is negative. */
const padOf = (bytes: Uint8Array, first: number): number => bytes[first]! >> 7

/** The size of the encoded INTEGER whose magnitude is in the bytes from `first` to `end`. */
const sizeOf = (bytes: Uint8Array, first: number, end: number): number => 2 + padOf(bytes, first) + end - first

/** Writes the INTEGER and returns the offset after it. */
function integer(bytes: Uint8Array, first: number, end: number, der: Uint8Array, begin: number): number {
  let at = begin
  der[at++] = INTEGER
  der[at++] = sizeOf(bytes, first, end) - 2
  if (padOf(bytes, first) === 1) der[at++] = 0
  for (let i = first; i < end; i++) der[at++] = bytes[i]!
  return at
}

/** The start and end of the contents of the element at `at`. The element must end at or before `end`. */
function element(der: Uint8Array, at: number, end: number, tag: number): { readonly from: number; readonly to: number } {
  if (end - at < 2 || der[at] !== tag) throw malformed()
  let from = at + 2
  let n = der[at + 1]!
  if (n & 0x80) {
    // Accept at most two length bytes: they allow 65,535 bytes, far more than any signature has. An indefinite length (0x80) is not valid
    // DER.
    const count = n & 0x7f
    if (count === 0 || count > 2 || end - from < count) throw malformed()
    n = 0
    for (const stop = from + count; from < stop; from++) n = (n << 8) | der[from]!
    if (n < 0x80 || (count === 2 && n < 0x100)) throw malformed()
  }
  if (n > end - from) throw malformed()
  return { from, to: from + n }
}

/**
 * Copies a positive integer to `out` so that its last byte is just before `end`. Returns false if the integer is not positive, or is longer
 * than half of `out`.
 */
function copyPositiveInteger(der: Uint8Array, from: number, to: number, out: Uint8Array, end: number): boolean {
  if (from === to) throw malformed()
  const first = der[from]!
  const second = to - from > 1 ? der[from + 1]! : 0
  if (to - from > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) throw malformed()
  const begin = first === 0 ? from + 1 : from
  const size = to - begin
  if (first & 0x80 || size === 0 || size > out.length / 2) return false
  for (let i = 0; i < size; i++) out[end - size + i] = der[begin + i]!
  return true
}
