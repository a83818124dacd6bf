/**
 * The two envelopes of keys: PrivateKeyInfo (PKCS#8, RFC 5208 and 5958) and SubjectPublicKeyInfo (RFC 5280 section 4.1).
 */
import { toHex } from '../../base/identifiers.ts'
import { BIT_STRING, DerReader, explicitTag, OCTET_STRING, SEQUENCE } from './read.ts'
import { bits, type Element, octets, sequence, unsigned } from './write.ts'

/** What an envelope holds. All bytes are views. */
export interface Enveloped {
  /** The object identifier as an element. */
  readonly algorithm: Uint8Array
  /** The parameters as an element; empty where there are none. */
  readonly parameters: Uint8Array
  /** The key in its algorithm's own form. */
  readonly key: Uint8Array
}

const VERSION = /* @__PURE__ */ new Uint8Array(1)

/** Attributes and a public key behind the private one are taken and not looked at. @throws KernelError 400 */
export function readPkcs8(der: Uint8Array, what: string): Enveloped {
  const outer = new DerReader(der, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  const version = inner.unsigned()
  if (version.length > 1 || (version[0] ?? 0) > 1) throw inner.malformed()
  const algorithm = readAlgorithm(inner)
  const key = inner.next(OCTET_STRING).bytes
  inner.optional(explicitTag(0))
  // [1] IMPLICIT BIT STRING, primitive.
  inner.optional(0x81)
  inner.end()
  return { ...algorithm, key }
}

/** @throws KernelError 400 */
export function readSpki(der: Uint8Array, what: string): Enveloped {
  const outer = new DerReader(der, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  const algorithm = readAlgorithm(inner)
  const { bytes } = inner.next(BIT_STRING)
  inner.end()
  if (bytes[0] !== 0) throw inner.malformed()
  return { ...algorithm, key: bytes.subarray(1) }
}

function readAlgorithm(from: DerReader): Omit<Enveloped, 'key'> {
  const reader = from.next(SEQUENCE)
  const algorithm = reader.rest()
  const parameters = reader.rest()
  reader.end()
  return { algorithm, parameters }
}

export const pkcs8 = (algorithm: Uint8Array, parameters: Uint8Array, key: Uint8Array | Element): Element =>
  sequence(unsigned(VERSION), sequence(algorithm, parameters), octets(key))

export const spki = (algorithm: Uint8Array, parameters: Uint8Array, key: Uint8Array | Element): Element =>
  sequence(sequence(algorithm, parameters), bits(key))

/** Whether two elements are the same. Not for secrets. */
export const sameElement = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && toHex(a) === toHex(b)
