/** The public keys that verify tokens, as a mount is configured with them. */
import { encodeBase64Url } from '../base/base64.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { readCertificate } from '../crypto/asn1/certificates.ts'
import { curveOf, readEcSpki } from '../crypto/asn1/ec-keys.ts'
import { readSpki, sameElement } from '../crypto/asn1/envelopes.ts'
import { describeAlgorithm } from '../crypto/asn1/key-forms.ts'
import { RSA_ENCRYPTION } from '../crypto/asn1/object-ids.ts'
import type { CryptoBackend, CurveName, EcdsaVerifyKey } from '../crypto/backend.ts'
import { decodeOnlyPem } from '../crypto/pem.ts'
import { RsaPublicKey, readRsaSpki } from '../crypto/rsa/index.ts'

/** The minimum of the originals. */
export const MIN_RSA_BITS = 1024
/** Four times the size that clusters use. The cost of a signature quadruples with every doubling, and every key is tried. */
export const MAX_RSA_BITS = 8192

/** A key with its id in tokens: that of its key set, or as clusters have it the SHA-256 of its SPKI, as base64url. */
export interface KeyWithId<K> {
  readonly key: K
  readonly id: string
}

/** The keys of one configuration, parsed once; to be kept as long as the configuration. */
export class VerificationKeys {
  readonly crypto: CryptoBackend
  readonly rsa: readonly KeyWithId<RsaPublicKey>[]
  readonly #ecdsa: ReadonlyMap<CurveName, readonly KeyWithId<EcdsaVerifyKey>[]>

  private constructor(
    crypto: CryptoBackend,
    rsa: readonly KeyWithId<RsaPublicKey>[],
    ecdsa: ReadonlyMap<CurveName, readonly KeyWithId<EcdsaVerifyKey>[]>,
  ) {
    this.crypto = crypto
    this.rsa = rsa
    this.#ecdsa = ecdsa
  }

  /**
   * @param pems An SPKI `PUBLIC KEY` or an X.509 `CERTIFICATE` each, of RSA or one of the three curves.
   * @param name Of the parameter, for refusals.
   * @throws KernelError 400 for anything else
   */
  static of(pems: readonly string[], name: string, crypto: CryptoBackend): VerificationKeys {
    const rsa: KeyWithId<RsaPublicKey>[] = []
    const ecdsa = new Map<CurveName, KeyWithId<EcdsaVerifyKey>[]>()
    for (const pem of pems) {
      const spki = spkiOf(pem, name)
      const id = encodeBase64Url(crypto.hash('sha2-256').digest(spki))
      const found = readSpki(spki, name)
      const curve = curveOf(found)
      if (curve) {
        const point = readEcSpki(curve, spki, name)
        const key = named(name, () => crypto.ecdsaVerify(curve, point))
        ecdsa.set(curve, [...(ecdsa.get(curve) ?? []), { key, id }])
      } else if (sameElement(found.algorithm, RSA_ENCRYPTION)) rsa.push({ key: rsaKey(spki, name), id })
      else
        throw invalid(
          `${name}: must be RSA keys, or keys of the curves P-256, P-384 and P-521; one is ${describeAlgorithm(found)}`,
        )
    }
    return new VerificationKeys(crypto, rsa, ecdsa)
  }

  /** Keys that were read elsewhere. */
  static from(
    crypto: CryptoBackend,
    rsa: readonly KeyWithId<RsaPublicKey>[],
    ecdsa: ReadonlyMap<CurveName, readonly KeyWithId<EcdsaVerifyKey>[]>,
  ): VerificationKeys {
    return new VerificationKeys(crypto, rsa, ecdsa)
  }

  /** Whether a key has this id. */
  has(id: unknown): boolean {
    return [this.rsa, ...this.#ecdsa.values()].some((keys) => keys.some((known) => known.id === id))
  }

  ecdsa(curve: CurveName): readonly KeyWithId<EcdsaVerifyKey>[] {
    return this.#ecdsa.get(curve) ?? []
  }
}

/** The public key of a PEM text, which may contain nothing else. Other parts of a certificate are ignored, even its dates. */
function spkiOf(pem: string, name: string): Uint8Array {
  const { label, bytes } = decodeOnlyPem(['PUBLIC KEY', 'CERTIFICATE'], pem, name)
  return label === 'CERTIFICATE' ? readCertificate(bytes, name).spki : bytes
}

function rsaKey(spki: Uint8Array, name: string): RsaPublicKey {
  const key = named(name, () => RsaPublicKey.fromSpki(spki))
  const { modulusBits: bits } = key
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    throw invalid(`${name}: RSA keys must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits`)
  // OpenSSL accepts several spellings, and any exponent.
  readRsaSpki(spki, 8 * key.modulusBytes, name)
  return key
}

function named<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof KernelError ? invalid(`${name}: ${error.message}`) : error
  }
}
