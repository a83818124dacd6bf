/**
 * ECDSA signatures as DER. Sources: RFC 3279 section 2.2.3 (SEQUENCE of two INTEGERs), X.690 sections 8.1, 8.3 and 10 (one encoding per
 * value).
 */
import { invalid } from '../base/errors.ts'

const SEQUENCE = 0x30
const INTEGER = 0x02

const malformed = (): Error => invalid('the signature is not a DER sequence of two integers')

/** `signature` is r || s, both halves of one length. The result belongs to the caller. */
export function encodeEcdsaSignature(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2
  const body = [...integer(signature.subarray(0, half)), ...integer(signature.subarray(half))]
  return Uint8Array.from([SEQUENCE, ...length(body.length), ...body])
}

/**
 * r || s with halves of `size` bytes (32, 48 or 66), the caller's. A zero, a negative or a larger integer is well-formed but signs
 * nothing: undefined, for a verification that answers false.
 * @throws KernelError (400) for anything but the one DER encoding of two integers: padded integers or lengths, cut text, bytes behind.
 */
export function decodeEcdsaSignature(der: Uint8Array, size: number): Uint8Array | undefined {
  const sequence = element(der, 0, der.length, SEQUENCE)
  if (sequence.to !== der.length) throw malformed()
  const r = element(der, sequence.from, sequence.to, INTEGER)
  const s = element(der, r.to, sequence.to, INTEGER)
  if (s.to !== sequence.to) throw malformed()
  const signature = new Uint8Array(2 * size)
  // Both are looked at before the answer: whether the text is malformed must not depend on the first integer's value.
  const rFits = place(der.subarray(r.from, r.to), signature.subarray(0, size))
  const sFits = place(der.subarray(s.from, s.to), signature.subarray(size))
  return rFits && sFits ? signature : undefined
}

function integer(magnitude: Uint8Array): number[] {
  let first = 0
  while (first < magnitude.length - 1 && magnitude[first] === 0) first++
  const bytes = [...magnitude.subarray(first)]
  if (bytes[0]! & 0x80) bytes.unshift(0)
  return [INTEGER, ...length(bytes.length), ...bytes]
}

/** Enough for what we write: the longest signature, P-521's, has 139 bytes. */
const length = (n: number): number[] => (n < 0x80 ? [n] : [0x81, n])

/** Where the contents of the element at `at` begin and end, within `end`. */
function element(der: Uint8Array, at: number, end: number, tag: number): { readonly from: number; readonly to: number } {
  if (end - at < 2 || der[at] !== tag) throw malformed()
  let from = at + 2
  let n = der[at + 1]!
  if (n & 0x80) {
    // Two length bytes reach 65 535, far beyond any signature. Indefinite lengths (0x80) are no DER.
    const count = n & 0x7f
    if (count === 0 || count > 2 || end - from < count) throw malformed()
    n = 0
    for (const stop = from + count; from < stop; from++) n = (n << 8) | der[from]!
    if (n < 0x80 || (count === 2 && n < 0x100)) throw malformed()
  }
  if (n > end - from) throw malformed()
  return { from, to: from + n }
}

/** Right-aligns a positive integer in `room`. False when it is not positive or does not fit. */
function place(contents: Uint8Array, room: Uint8Array): boolean {
  const [first, second = 0] = contents
  if (first === undefined) throw malformed()
  if (contents.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) throw malformed()
  const magnitude = first === 0 ? contents.subarray(1) : contents
  if (first & 0x80 || magnitude.length === 0 || magnitude.length > room.length) return false
  room.set(magnitude, room.length - magnitude.length)
  return true
}
