/**
 * Writes DER (X.690). The caller first describes the whole value, and then encodes it at once. So key bytes are copied only once, into the
 * result.
 */
import { BIT_STRING, explicitTag, INTEGER, OCTET_STRING, SEQUENCE } from './der-reader.ts'

/**
 * The description of an element: its tag and the parts of its contents, in order. The parts are read only when the element is encoded, so
 * do not change them before.
 */
export interface DerElement {
  readonly tag: number
  readonly parts: readonly DerPart[]
}

type DerPart = Uint8Array | DerElement

const ZERO = /* @__PURE__ */ new Uint8Array(1)

export const element = (tag: number, ...parts: readonly DerPart[]): DerElement => ({ tag, parts })
export const sequence = (...parts: readonly DerPart[]): DerElement => element(SEQUENCE, ...parts)
export const octets = (...parts: readonly DerPart[]): DerElement => element(OCTET_STRING, ...parts)
/** A BIT STRING of whole bytes, without unused bits. */
export const bits = (...parts: readonly DerPart[]): DerElement => element(BIT_STRING, ZERO, ...parts)
export const explicit = (n: number, ...parts: readonly DerPart[]): DerElement => element(explicitTag(n), ...parts)

/** An INTEGER with the given big-endian magnitude. Leading zeros are ignored. */
export function unsigned(magnitude: Uint8Array): DerElement {
  let first = 0
  while (first < magnitude.length && magnitude[first] === 0) first++
  const bytes = magnitude.subarray(first)
  return (bytes[0] ?? 0x80) & 0x80 ? element(INTEGER, ZERO, bytes) : element(INTEGER, bytes)
}

/** Encodes a value. The caller owns the result. */
export function encodeDer(value: DerElement): Uint8Array {
  const out = new Uint8Array(sizeOf(value))
  write(value, out, 0)
  return out
}

const contentSize = ({ parts }: DerElement): number => parts.reduce((sum, part) => sum + sizeOf(part), 0)

function sizeOf(part: DerPart): number {
  if (part instanceof Uint8Array) return part.length
  const size = contentSize(part)
  return 1 + lengthOf(size).length + size
}

function lengthOf(size: number): readonly number[] {
  if (size < 0x80) return [size]
  const bytes: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 + bytes.length, ...bytes]
}

/** Writes a part and returns the offset after it. */
function write(part: DerPart, out: Uint8Array, at: number): number {
  if (part instanceof Uint8Array) {
    out.set(part, at)
    return at + part.length
  }
  const length = lengthOf(contentSize(part))
  out[at] = part.tag
  out.set(length, at + 1)
  let next = at + 1 + length.length
  for (const inner of part.parts) next = write(inner, out, next)
  return next
}
