/** Reads and writes ECDSA keys: private keys in PKCS#8 and SEC 1 (RFC 5915), public keys in SPKI (RFC 5480). */
import { EMPTY } from '../../base/bytes.ts'
import { invalid } from '../../base/errors.ts'
import type { CurveName } from '../backend.ts'
import { BIT_STRING, DerReader, explicitTag, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE } from './der-reader.ts'
import { bits, type DerElement, encodeDer, explicit, octets, sequence } from './der-writer.ts'
import { type KeyEnvelope, pkcs8, readPkcs8, readSpki, sameElement, spki } from './envelopes.ts'
import { describeAlgorithm } from './key-forms.ts'
import { CURVE_IDS, EC_PUBLIC_KEY, type EcCurve } from './object-ids.ts'

const SCALAR_BYTES: Readonly<Record<EcCurve, number>> = { 'P-224': 28, 'P-256': 32, 'P-384': 48, 'P-521': 66 }
const ALL_CURVES = /* @__PURE__ */ Object.keys(SCALAR_BYTES) as readonly EcCurve[]
const CURVES: readonly CurveName[] = ['P-256', 'P-384', 'P-521']
const ONE = /* @__PURE__ */ Uint8Array.of(2, 1, 1)

export interface EcPrivateKey {
  /**
   * The private scalar, as long as the order of the curve. The caller owns it, must wipe it, and must check that it is in the valid range.
   */
  readonly scalar: Uint8Array
  /** The public key as an encoded point (a view). Empty if the file contains no public key. */
  readonly point: Uint8Array
}

/** @throws KernelError 400 if the bytes are not a private key of this curve */
export function readEcPkcs8(curve: EcCurve, der: Uint8Array, what: string): EcPrivateKey {
  const found = readPkcs8(der, what)
  checkCurve(curve, found, what)
  return readSec1(found.key, SCALAR_BYTES[curve], what)
}

/**
 * Reads an ECPrivateKey (RFC 5915). If it specifies a curve, that curve is ignored, because the PKCS#8 envelope specifies the curve.
 * @throws KernelError 400
 */
export function readSec1(der: Uint8Array, scalarBytes: number, what: string): EcPrivateKey {
  const outer = new DerReader(der, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  const version = inner.unsigned()
  if (version.length !== 1 || version[0] !== 1) throw inner.malformed()
  const given = inner.next(OCTET_STRING).bytes
  inner.optional(explicitTag(0))?.next(OBJECT_IDENTIFIER)
  const tagged = inner.optional(explicitTag(1))
  const point = tagged?.next(BIT_STRING).bytes
  tagged?.end()
  inner.end()
  // The first byte of a BIT STRING is the number of unused bits, which must be 0.
  if (point && point[0] !== 0) throw inner.malformed()
  return { scalar: fitScalar(given, scalarBytes, what), point: point?.subarray(1) ?? EMPTY }
}

/**
 * Returns the uncompressed point of a public key (a view). The caller must check that the point is on the curve. @throws KernelError 400 if
 * the bytes are not a public key of this curve, or contain a compressed point
 */
export function readEcSpki(curve: CurveName, der: Uint8Array, what: string): Uint8Array {
  const found = readSpki(der, what)
  checkCurve(curve, found, what)
  if (found.key[0] !== 4 || found.key.length !== 1 + 2 * SCALAR_BYTES[curve])
    throw invalid(`${what}: must contain an uncompressed point of ${curve}`)
  return found.key
}

/** The curve of a key. Undefined if the key has another algorithm, or a curve that is not supported. */
export const curveOf = (found: KeyEnvelope): CurveName | undefined => findCurve(CURVES, found)

/** Like {@link curveOf}, but also accepts P-224, which is allowed only in certificates. */
export const certificateCurveOf = (found: KeyEnvelope): EcCurve | undefined => findCurve(ALL_CURVES, found)

const findCurve = <C extends EcCurve>(curves: readonly C[], { algorithm, parameters }: KeyEnvelope): C | undefined =>
  sameElement(algorithm, EC_PUBLIC_KEY) ? curves.find((curve) => sameElement(parameters, CURVE_IDS[curve])) : undefined

/** Wraps a SEC 1 key in PKCS#8. @throws KernelError 400 if the key does not specify its curve */
export function sec1InEnvelope(der: Uint8Array, what: string): Uint8Array {
  const inner = new DerReader(der, what).next(SEQUENCE)
  inner.unsigned()
  inner.next(OCTET_STRING)
  const parameters = inner.optional(explicitTag(0))?.rest()
  if (!parameters) throw inner.malformed()
  return encodeDer(pkcs8(EC_PUBLIC_KEY, parameters, der))
}

export const ecSpki = (curve: EcCurve, point: Uint8Array): Uint8Array => encodeDer(spki(EC_PUBLIC_KEY, CURVE_IDS[curve], point))

/** Encodes a private key as PKCS#8 DER. The caller owns the result. */
export const ecPkcs8 = (curve: EcCurve, scalar: Uint8Array, point: Uint8Array): Uint8Array =>
  encodeDer(pkcs8(EC_PUBLIC_KEY, CURVE_IDS[curve], sec1(scalar, point)))

/** Encodes a private key as SEC 1 DER that specifies the curve. The caller owns the result. */
export const ecSec1 = (curve: CurveName, scalar: Uint8Array, point: Uint8Array): Uint8Array =>
  encodeDer(sec1(scalar, point, explicit(0, CURVE_IDS[curve])))

const sec1 = (scalar: Uint8Array, point: Uint8Array, ...curve: readonly DerElement[]): DerElement =>
  sequence(ONE, octets(scalar), ...curve, explicit(1, bits(point)))

function checkCurve(curve: EcCurve, { algorithm, parameters }: KeyEnvelope, what: string): void {
  if (!sameElement(algorithm, EC_PUBLIC_KEY) || !sameElement(parameters, CURVE_IDS[curve]))
    throw invalid(`${what}: must be an elliptic-curve key of ${curve}, but is ${describeAlgorithm({ algorithm, parameters })}`)
}

/** Returns the scalar with `length` bytes. Adds or removes leading zeros, because tools write different numbers of them. */
function fitScalar(given: Uint8Array, length: number, what: string): Uint8Array {
  const extra = Math.max(0, given.length - length)
  if (given.subarray(0, extra).some((byte) => byte !== 0)) throw invalid(`${what}: the private scalar is too large for its curve`)
  const scalar = new Uint8Array(length)
  scalar.set(given.subarray(extra), length - (given.length - extra))
  return scalar
}
