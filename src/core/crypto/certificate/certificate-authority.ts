import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { type Certificate, readCertificate } from '../asn1/certificates.ts'
import { certificateCurveOf, ecSpki, readEcPkcs8 } from '../asn1/ec-keys.ts'
import { ed25519Spki, readEd25519Pkcs8 } from '../asn1/ed25519-keys.ts'
import { readPkcs8, sameElement } from '../asn1/envelopes.ts'
import { describeAlgorithm } from '../asn1/key-forms.ts'
import { type EcCurve, ED25519_OID, RSA_ENCRYPTION } from '../asn1/object-ids.ts'
import { ECDSA_X509, ED25519_X509, RSA_X509 } from '../asn1/signature-algorithms.ts'
import { type CryptoBackend, type EcdsaSignKey, HEDGE_BYTES, type Wipeable } from '../backend.ts'
import { NIST_CURVES } from '../curves/curve-code.ts'
import { encodeEcdsaSignature } from '../ecdsa-der.ts'
import { decodePems } from '../pem.ts'
import { RsaPrivateKey } from '../rsa/index.ts'
import { readPrivateKey } from './private-key.ts'

/** The hash sizes in bits that RSA signatures can have. For ECDSA, the curve determines the hash. */
export const SIGNATURE_BITS = [256, 384, 512] as const
export type SignatureBits = (typeof SIGNATURE_BITS)[number]

/** The limits for RSA keys. A signature with a longer key would block the event loop for too long. */
const RSA_BITS = { fewest: 2048, most: 4096 } as const

const CERTIFICATES = ['CERTIFICATE', 'X509 CERTIFICATE']

/** A certificate authority: its certificate and the key that signs certificates. Call `wipe()` after use. */
export interface CertificateAuthority extends Wipeable {
  readonly certificate: Certificate
  /** The DER-encoded AlgorithmIdentifier of the authority's signatures. */
  readonly algorithm: Uint8Array
  /** Returns the signature in the format that certificates contain. */
  sign(message: Uint8Array): Uint8Array
}

type AuthorityKey = Omit<CertificateAuthority, 'certificate'> & { readonly spki: Uint8Array }

export interface KeyPairPems {
  /** The certificate as PEM. If there are several, only the first is used. */
  readonly certificate: string
  /** A single private key as PEM: PKCS#8, SEC 1 with a named curve, or PKCS#1. */
  readonly key: string
  /** The names of the two parameters, for error messages. */
  readonly certificateName: string
  readonly keyName: string
}

/**
 * Reads a certificate authority from its certificate and its private key. Allowed keys: RSA with 2048 to 4096 bits, ECDSA on P-224, P-256,
 * P-384 and P-521, and Ed25519.
 * @throws KernelError 400 that names the parameter, if a text is not PEM, if the certificate is not of a certificate authority, if the key
 * is not allowed, or if the key does not belong to the certificate
 */
export function openAuthority(
  crypto: CryptoBackend,
  entropy: Entropy,
  pems: KeyPairPems,
  signatureBits: SignatureBits,
): CertificateAuthority {
  const { certificateName, keyName } = pems
  const [der] = decodePems(CERTIFICATES, pems.certificate, certificateName)
  if (!der) throw invalid(`${certificateName}: must be a certificate in PEM form`)
  const certificate = readCertificate(der, certificateName)
  if (!certificate.ca)
    throw invalid(`${certificateName}: must be the certificate of a certificate authority (basic constraints with cA set)`)
  const privateDer = readPrivateKey(pems.key, keyName)
  try {
    const { spki, ...own } = openKey({ crypto, entropy, signatureBits, der: privateDer, what: keyName })
    if (sameElement(spki, certificate.spki)) return { certificate, ...own }
    own.wipe()
    throw invalid(`${keyName}: must be the private key of the certificate`)
  } finally {
    privateDer.fill(0)
  }
}

interface AuthorityKeySource {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  readonly signatureBits: SignatureBits
  readonly der: Uint8Array
  readonly what: string
}

function openKey(given: AuthorityKeySource): AuthorityKey {
  const found = readPkcs8(given.der, given.what)
  const curve = certificateCurveOf(found)
  if (curve) return openEc(given, curve)
  if (sameElement(found.algorithm, ED25519_OID)) return openEd25519(given)
  if (sameElement(found.algorithm, RSA_ENCRYPTION)) return openRsa(given)
  throw invalid(`${given.what}: must be an RSA, ECDSA or Ed25519 key, but is ${describeAlgorithm(found)}`)
}

function openRsa({ crypto, der, signatureBits, what }: AuthorityKeySource): AuthorityKey {
  const key = openValidRsa(crypto, der, what)
  const { algorithm, hash } = RSA_X509[signatureBits]
  return {
    spki: key.publicKey.spkiDer(),
    algorithm,
    sign: (message) => key.signPkcs1(hash, crypto.hash(hash).digest(message)),
    wipe: () => key.wipe(),
  }
}

function openValidRsa({ rsa }: CryptoBackend, der: Uint8Array, what: string): RsaPrivateKey {
  let key: RsaPrivateKey
  try {
    key = RsaPrivateKey.fromPkcs8(der, rsa)
  } catch {
    throw invalid(`${what}: is a malformed RSA key`)
  }
  const { modulusBits } = key.publicKey
  if (modulusBits < RSA_BITS.fewest || modulusBits > RSA_BITS.most)
    throw invalid(`${what}: an RSA key must have ${RSA_BITS.fewest} to ${RSA_BITS.most} bits`)
  if (!key.isConsistent()) throw invalid(`${what}: the numbers of the RSA key do not belong together`)
  return key
}

function openEc({ crypto, entropy, der, what }: AuthorityKeySource, curve: EcCurve): AuthorityKey {
  const { scalar } = readEcPkcs8(curve, der, what)
  const key = openedThenWiped(
    scalar,
    (): EcdsaSignKey => (curve === 'P-224' ? NIST_CURVES.code.ecdsaSign(curve, scalar) : crypto.ecdsaSign(curve, scalar)),
  )
  const { algorithm, hash } = ECDSA_X509[curve]
  return {
    spki: ecSpki(curve, key.publicKey),
    algorithm,
    sign: (message) => encodeEcdsaSignature(key.signDigest(crypto.hash(hash).digest(message), entropy.bytes(HEDGE_BYTES))),
    wipe: () => key.wipe(),
  }
}

function openEd25519({ crypto, der, what }: AuthorityKeySource): AuthorityKey {
  const { seed } = readEd25519Pkcs8(der, what)
  const key = openedThenWiped(seed, () => crypto.ed25519Sign(seed))
  return {
    spki: ed25519Spki(key.publicKey),
    algorithm: ED25519_X509.algorithm,
    sign: (message) => key.sign(message),
    wipe: () => key.wipe(),
  }
}

/** Opening fails if the bytes are not a key, or if the code of the curve is not loaded yet. The bytes are wiped in any case. */
function openedThenWiped<K>(bytes: Uint8Array, open: () => K): K {
  try {
    return open()
  } finally {
    bytes.fill(0)
  }
}
