/** Reads and writes the envelopes of keys: PrivateKeyInfo (PKCS#8, RFC 5208 and 5958) and SubjectPublicKeyInfo (RFC 5280 section 4.1). */
import { invalid } from '../../base/errors.ts'
import { toHex } from '../../base/identifiers.ts'
import { BIT_STRING, DerReader, explicitTag, OCTET_STRING, SEQUENCE } from './der-reader.ts'
import { bits, type DerElement, octets, sequence, unsigned } from './der-writer.ts'
import { describeForm } from './key-forms.ts'

/** The contents of an envelope. All bytes are views of the input. */
export interface KeyEnvelope {
  /** The DER-encoded object identifier of the algorithm. */
  readonly algorithm: Uint8Array
  /** The DER-encoded parameters of the algorithm. Empty if it has no parameters. */
  readonly parameters: Uint8Array
  /** The key in the format that the algorithm defines. */
  readonly key: Uint8Array
}

/** The tag of `[1] IMPLICIT BIT STRING` (primitive). */
const IMPLICIT_PUBLIC_KEY = 0x81

const VERSION = /* @__PURE__ */ new Uint8Array(1)

export interface PrivateKeyEnvelope extends KeyEnvelope {
  /** The public key in the file (a view). Undefined if the file contains no public key. */
  readonly publicKey: Uint8Array | undefined
}

/**
 * Reads a PrivateKeyInfo. Its attributes are ignored. @throws KernelError 400. If the bytes are in another known format, the message names
 * that format.
 */
export const readPkcs8 = (der: Uint8Array, what: string): PrivateKeyEnvelope =>
  describeOnError(der, what, 'PKCS#8', () => {
    const inner = contents(der, what)
    const version = inner.unsigned()
    if (version.length > 1 || (version[0] ?? 0) > 1) throw inner.malformed()
    const algorithm = readAlgorithm(inner)
    const key = inner.next(OCTET_STRING).bytes
    inner.optional(explicitTag(0))
    // RFC 5958 requires an implicit tag for the public key. Some tools, such as the Rust crate ring up to 0.16, instead write an explicit
    // tag that contains a BIT STRING.
    const given = inner.optional(IMPLICIT_PUBLIC_KEY) ?? inner.optional(explicitTag(1))?.next(BIT_STRING)
    inner.end()
    return { ...algorithm, key, publicKey: given && wholeBytes(given) }
  })

/** @throws KernelError 400. If the bytes are in another known format, the message names that format. */
export const readSpki = (der: Uint8Array, what: string): KeyEnvelope =>
  describeOnError(der, what, 'SPKI', () => {
    const inner = contents(der, what)
    const algorithm = readAlgorithm(inner)
    const key = wholeBytes(inner.next(BIT_STRING))
    inner.end()
    return { ...algorithm, key }
  })

function describeOnError<T>(der: Uint8Array, what: string, wanted: string, read: () => T): T {
  try {
    return read()
  } catch (malformed) {
    const form = describeForm(der)
    if (form === undefined || form.includes(wanted)) throw malformed
    throw invalid(`${what}: is ${form}; convert it to ${wanted}${form.startsWith('PEM') ? ' in DER form' : ''}`)
  }
}

function contents(der: Uint8Array, what: string): DerReader {
  const outer = new DerReader(der, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  return inner
}

/** The bytes of a BIT STRING. It must have no unused bits. */
function wholeBytes(bits: DerReader): Uint8Array {
  if (bits.bytes[0] !== 0) throw bits.malformed()
  return bits.bytes.subarray(1)
}

function readAlgorithm(from: DerReader): Omit<KeyEnvelope, 'key'> {
  const reader = from.next(SEQUENCE)
  const algorithm = reader.rest()
  const parameters = reader.rest()
  reader.end()
  return { algorithm, parameters }
}

export const pkcs8 = (algorithm: Uint8Array, parameters: Uint8Array, key: Uint8Array | DerElement): DerElement =>
  sequence(unsigned(VERSION), sequence(algorithm, parameters), octets(key))

export const spki = (algorithm: Uint8Array, parameters: Uint8Array, key: Uint8Array | DerElement): DerElement =>
  sequence(sequence(algorithm, parameters), bits(key))

/** Whether two byte arrays are equal. The comparison is not constant time, so do not use it for secrets. */
export const sameElement = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && toHex(a) === toHex(b)
