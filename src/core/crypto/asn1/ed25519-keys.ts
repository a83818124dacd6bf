/** Reads and writes Ed25519 keys: PKCS#8 and SPKI (RFC 8410), and the format in which NSS writes private keys. */
import { invalid, type KernelError } from '../../base/errors.ts'
import { DerReader, OCTET_STRING } from './der-reader.ts'
import { encodeDer, octets } from './der-writer.ts'
import { readSec1 } from './ec-keys.ts'
import { pkcs8, readPkcs8, readSpki, sameElement, spki } from './envelopes.ts'
import { describeAlgorithm } from './key-forms.ts'
import { EC_PUBLIC_KEY, ED25519_OID, NSS_ED25519_CURVES } from './object-ids.ts'

const BYTES = 32
const NONE = /* @__PURE__ */ new Uint8Array(0)

export interface Ed25519PrivateKey {
  /** The seed of the private key. The caller owns it and must wipe it. */
  readonly seed: Uint8Array
  /**
   * The public key in the file (a view). Undefined if the file contains no public key. The caller must check that the public key matches
   * the seed.
   */
  readonly publicKey: Uint8Array | undefined
}

/** @throws KernelError 400 if the bytes are not an Ed25519 private key */
export function readEd25519Pkcs8(der: Uint8Array, what: string): Ed25519PrivateKey {
  const { algorithm, parameters, key, publicKey } = readPkcs8(der, what)
  if (sameElement(algorithm, EC_PUBLIC_KEY) && NSS_ED25519_CURVES.some((curve) => sameElement(parameters, curve))) {
    // The public key that NSS writes does not match the seed, so ignore it.
    return { seed: readSec1(key, BYTES, what).scalar, publicKey: undefined }
  }
  if (!sameElement(algorithm, ED25519_OID) || parameters.length > 0) throw notEd25519(algorithm, parameters, what)
  const inner = new DerReader(key, what)
  const seed = inner.next(OCTET_STRING).bytes
  inner.end()
  if (seed.length !== BYTES) throw inner.malformed()
  return { seed: seed.slice(), publicKey }
}

/**
 * Returns the 32 bytes of a public key (a view). The caller must check that they are a point of the curve. @throws KernelError 400 if the
 * bytes are not an Ed25519 public key
 */
export function readEd25519Spki(der: Uint8Array, what: string): Uint8Array {
  const { algorithm, parameters, key } = readSpki(der, what)
  if (!sameElement(algorithm, ED25519_OID) || parameters.length > 0) throw notEd25519(algorithm, parameters, what)
  if (key.length !== BYTES) throw invalid(`${what}: an Ed25519 public key must have ${BYTES} bytes, not ${key.length}`)
  return key
}

function notEd25519(algorithm: Uint8Array, parameters: Uint8Array, what: string): KernelError {
  if (sameElement(algorithm, ED25519_OID)) return invalid(`${what}: an Ed25519 key must not have parameters`)
  return invalid(`${what}: must be an Ed25519 key, but is ${describeAlgorithm({ algorithm, parameters })}`)
}

/** Encodes a private key as PKCS#8 version 0, which contains no public key. The caller owns the result. */
export const ed25519Pkcs8 = (seed: Uint8Array): Uint8Array => encodeDer(pkcs8(ED25519_OID, NONE, octets(seed)))

export const ed25519Spki = (publicKey: Uint8Array): Uint8Array => encodeDer(spki(ED25519_OID, NONE, publicKey))
