/** Reads the certificate and private key of a server. */
import { invalid } from '../../base/errors.ts'
import { type Certificate, readCertificate } from '../asn1/certificates.ts'
import { DerReader, SEQUENCE } from '../asn1/der-reader.ts'
import { certificateCurveOf, ecSpki, readEcPkcs8 } from '../asn1/ec-keys.ts'
import { ed25519Spki, readEd25519Pkcs8 } from '../asn1/ed25519-keys.ts'
import { readPkcs8, sameElement } from '../asn1/envelopes.ts'
import { describeAlgorithm } from '../asn1/key-forms.ts'
import { type EcCurve, ED25519_OID, RSA_ENCRYPTION } from '../asn1/object-ids.ts'
import { CURVE_25519, NIST_CURVES } from '../curves/curve-code.ts'
import { decodePems } from '../pem.ts'
import { readRsaPkcs8, rsaSpki } from '../rsa/index.ts'
import type { KeyPairPems } from './certificate-authority.ts'
import { readPrivateKey } from './private-key.ts'

/** The limits for RSA keys. TLS implementations do not accept longer keys, and computing with them would block the event loop. */
const RSA_BITS = { fewest: 2048, most: 8192 } as const

/**
 * Returns the first certificate of the chain. The private key is validated before the certificates are read. Allowed keys: RSA with 2048 to
 * 8192 bits, ECDSA on P-224, P-256, P-384 and P-521, and Ed25519.
 * @throws KernelError 400 that names the parameter, if a text is not PEM, if the key is not allowed, or if the key does not belong to the
 * certificate
 */
export function readKeyPair({ certificate, certificateName, key, keyName }: KeyPairPems): Certificate {
  const der = readPrivateKey(key, keyName)
  let spki: Uint8Array
  try {
    spki = publicKeyOf(der, keyName)
  } finally {
    der.fill(0)
  }
  const [first] = decodePems(['CERTIFICATE'], certificate, certificateName)
  if (!first) throw invalid(`${certificateName}: must be a certificate in PEM form`)
  const found = readCertificate(first, certificateName)
  if (!sameElement(spki, found.spki)) throw invalid(`${keyName}: does not match the public key of ${certificateName}`)
  return found
}

/** Computes the SPKI of a private key that is given as PKCS#8. */
function publicKeyOf(der: Uint8Array, what: string): Uint8Array {
  const found = readPkcs8(der, what)
  const curve = certificateCurveOf(found)
  if (curve) return ecPublicKeyOf(curve, der, what)
  if (sameElement(found.algorithm, ED25519_OID)) return ed25519PublicKeyOf(der, what)
  if (!sameElement(found.algorithm, RSA_ENCRYPTION))
    throw invalid(`${what}: must be an RSA, ECDSA or Ed25519 key, but is ${describeAlgorithm(found)}`)
  return rsaSpki(readRsaPkcs8(der, rsaBits(found.key, what), what))
}

function ecPublicKeyOf(curve: EcCurve, der: Uint8Array, what: string): Uint8Array {
  const { ecdsaSign } = NIST_CURVES.code
  const { scalar } = readEcPkcs8(curve, der, what)
  try {
    const key = ecdsaSign(curve, scalar)
    key.wipe()
    return ecSpki(curve, key.publicKey)
  } catch {
    throw invalid(`${what}: must be a private key on the curve ${curve}`)
  } finally {
    scalar.fill(0)
  }
}

function ed25519PublicKeyOf(der: Uint8Array, what: string): Uint8Array {
  const { ed25519Sign } = CURVE_25519.code
  const { seed } = readEd25519Pkcs8(der, what)
  const key = ed25519Sign(seed)
  seed.fill(0)
  key.wipe()
  return ed25519Spki(key.publicKey)
}

/** The size of the modulus in bits, rounded up to whole bytes. */
function rsaBits(key: Uint8Array, what: string): number {
  const numbers = new DerReader(key, what).next(SEQUENCE)
  numbers.unsigned()
  const modulus = numbers.unsigned()
  const bits = 8 * modulus.length
  const unused = Math.clz32(modulus[0] ?? 0) - 24
  if (bits - unused < RSA_BITS.fewest || bits > RSA_BITS.most)
    throw invalid(`${what}: an RSA key must have ${RSA_BITS.fewest} to ${RSA_BITS.most} bits`)
  return bits
}
