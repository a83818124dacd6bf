/**
 * Encodes elliptic-curve public keys as SubjectPublicKeyInfo. Sources: RFC 5480 section 2 (structure, object identifiers), SEC 1 section
 * 2.3.3 (the point).
 */
import { texts } from '../base/texts.ts'
import type { CurveName } from './backend.ts'
import { encodePem } from './pem.ts'

/**
 * The DER encoding before the uncompressed point: SEQUENCE { SEQUENCE { id-ecPublicKey, curve }, BIT STRING }, up to the byte that says that
 * no bits are unused.
 */
const PREFIX: Readonly<Record<CurveName, string>> = {
  'P-256': '3059301306072a8648ce3d020106082a8648ce3d030107034200',
  'P-384': '3076301006072a8648ce3d020106052b81040022036200',
  'P-521': '30819b301006072a8648ce3d020106052b8104002303818600',
}

/** @param point Uncompressed, 65, 97 or 133 bytes. @returns Bytes that the caller owns. @throws TypeError for another length */
export function ecSpkiDer(curve: CurveName, point: Uint8Array): Uint8Array {
  const prefix = texts.fromHex(PREFIX[curve])
  const der = new Uint8Array(prefix.length + point.length)
  if (der.length !== TOTAL[curve] || point[0] !== 4) throw new TypeError(`point: must be an uncompressed point of ${curve}`)
  der.set(prefix)
  der.set(point, prefix.length)
  return der
}

const TOTAL: Readonly<Record<CurveName, number>> = { 'P-256': 91, 'P-384': 120, 'P-521': 158 }

/** The key as PEM `PUBLIC KEY`: lines of 64 characters that end in LF, including the last line. */
export const ecSpkiPem = (curve: CurveName, point: Uint8Array): string => encodePem('PUBLIC KEY', ecSpkiDer(curve, point))
