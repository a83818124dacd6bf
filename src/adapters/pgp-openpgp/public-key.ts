/**
 * Parses public keys and subkeys in packets (RFC 9580, sections 5.5 and 9): the algorithm, the fingerprint, and whether the numbers of the
 * key are plausible.
 */
import { createHash } from 'node:crypto'
import { KeyRefused, Octets, toHex } from './octets.ts'

export interface PublicKey {
  readonly version: 4 | 6
  /** The creation time in seconds since 1970. */
  readonly created: number
  readonly algorithm: number
  readonly encrypts: boolean
  /** The size of the key's largest number in bits, which bounds the size of its signatures. */
  readonly bits: number
  /** Lower-case hexadecimal. */
  readonly fingerprint: string
  /** Lower-case hexadecimal, of 8 octets. */
  readonly id: string
}

/** Larger keys are refused: they are used only in experiments, and the larger a key, the longer an encryption takes. */
const MAX_RSA_BITS = 8192
const MIN_RSA_BITS = 2047
/** The maximum size of a key packet, which is more than any accepted key needs. */
const MAX_FIELD_BYTES = 2048
/** Exponents in use have 17 bits. A longer exponent makes encryption slower. */
const MAX_EXPONENT_BITS = 32

export const RSA: ReadonlySet<number> = new Set([1, 2, 3])
const ECDH = 18
export const ECDSA = 19
export const EDDSA_LEGACY = 22
export const ED25519_ALGORITHM = 27
export const ED448 = 28
/** Algorithms whose keys consist of one octet string, and the length of that string: X25519, X448, Ed25519, Ed448. */
const PLAIN_OCTETS: ReadonlyMap<number, number> = new Map([
  [25, 32],
  [26, 56],
  [ED25519_ALGORITHM, 32],
  [ED448, 57],
])
const ENCRYPTING: ReadonlySet<number> = new Set([1, 2, ECDH, 25, 26])

interface Curve {
  readonly name: string
  readonly bits: number
  /** The first octet of each point of the curve, and the number of octets of a point, including the first. */
  readonly prefix: number
  readonly octets: number
  readonly algorithms: readonly number[]
}

const nist = (name: string, bits: number): Curve => {
  const octets = 1 + 2 * Math.ceil(bits / 8)
  return { name, bits, prefix: 0x04, octets, algorithms: [ECDH, ECDSA] }
}
const legacy = (name: string, algorithm: number): Curve => ({
  name,
  bits: 256,
  prefix: 0x40,
  octets: 33,
  algorithms: [algorithm],
})

/** The supported curves, by object identifier in hexadecimal. */
const CURVES: ReadonlyMap<string, Curve> = new Map([
  ['2a8648ce3d030107', nist('P-256', 256)],
  ['2b81040022', nist('P-384', 384)],
  ['2b81040023', nist('P-521', 521)],
  ['2b06010401da470f01', legacy('Ed25519', EDDSA_LEGACY)],
  ['2b060104019755010501', legacy('Curve25519', ECDH)],
])

/** @throws KeyRefused for a key that is unsupported or too costly to use. */
export function parsePublicKey(body: Uint8Array): PublicKey {
  if (body.length > MAX_FIELD_BYTES)
    throw new KeyRefused(`it has a key packet of ${body.length} bytes; the limit is ${MAX_FIELD_BYTES}`)
  const octets = new Octets(body)
  const version = octets.number(1)
  if (version !== 4 && version !== 6) throw new KeyRefused(`it has version ${version}; only 4 and 6 are supported`)
  const created = octets.number(4)
  const algorithm = octets.number(1)
  const material = version === 6 ? new Octets(octets.take(octets.number(4))) : octets
  const bits = readMaterial(material, algorithm, version)
  material.end()
  octets.end()
  const fingerprint = fingerprintOf(version, body)
  const id = version === 4 ? fingerprint.slice(-16) : fingerprint.slice(0, 16)
  return { version, created, algorithm, encrypts: ENCRYPTING.has(algorithm), bits, fingerprint, id }
}

function readMaterial(octets: Octets, algorithm: number, version: 4 | 6): number {
  if (RSA.has(algorithm)) return readRsa(octets)
  const length = PLAIN_OCTETS.get(algorithm)
  if (length !== undefined) return octets.take(length).length * 8
  if (algorithm === ECDH || algorithm === ECDSA || algorithm === EDDSA_LEGACY) return readPoint(octets, algorithm, version)
  throw new KeyRefused(`it has algorithm ${algorithm}; only RSA and elliptic curves are supported`)
}

function readRsa(octets: Octets): number {
  const modulus = octets.integer(MAX_RSA_BITS)
  const exponent = octets.integer(MAX_EXPONENT_BITS)
  const bits = bitsOf(modulus)
  if (bits < MIN_RSA_BITS) throw new KeyRefused(`it is an RSA key of ${bits} bits; the minimum is ${MIN_RSA_BITS}`)
  if (!isOdd(modulus) || !isOdd(exponent) || bitsOf(exponent) < 2) throw new KeyRefused('its numbers are not those of an RSA key')
  return bits
}

function readPoint(octets: Octets, algorithm: number, version: 4 | 6): number {
  const curve = CURVES.get(toHex(octets.take(octets.number(1))))
  if (!curve) throw new KeyRefused('its curve is not one of P-256, P-384, P-521, Curve25519, Ed25519')
  if (!curve.algorithms.includes(algorithm) || (version === 6 && curve.prefix === 0x40))
    throw new KeyRefused(`it uses the curve ${curve.name} for an algorithm that does not support it`)
  const point = octets.integer(curve.octets * 8)
  if (point.length !== curve.octets || point[0] !== curve.prefix)
    throw new KeyRefused(`it does not have a point of ${curve.name}`)
  // The parameters for deriving the key that encrypts the session key: a length, a reserved 1, a hash (SHA-2) and a cipher (AES).
  if (algorithm === ECDH) {
    const [length, reserved, hash = 0, cipher = 0] = octets.take(4)
    const known = hash >= 8 && hash <= 10 && cipher >= 7 && cipher <= 9
    if (length !== 3 || reserved !== 1 || !known) throw new KeyRefused('it has unknown key derivation parameters')
  }
  return curve.bits
}

const bitsOf = (integer: Uint8Array): number =>
  integer.length === 0 ? 0 : integer.length * 8 - Math.clz32(integer[0] as number) + 24

const isOdd = (integer: Uint8Array): boolean => ((integer.at(-1) ?? 0) & 1) === 1

/** The fingerprint of a key (RFC 9580, section 5.5.4). */
function fingerprintOf(version: 4 | 6, body: Uint8Array): string {
  const head = Buffer.alloc(version === 4 ? 3 : 5, version === 4 ? 0x99 : 0x9b)
  head.writeUIntBE(body.length, 1, head.length - 1)
  return createHash(version === 4 ? 'sha1' : 'sha256')
    .update(head)
    .update(body)
    .digest('hex')
}
