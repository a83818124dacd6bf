/** The public keys in the configuration of a mount that verify tokens. */
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

/** The minimum size of an RSA key in bits, as in Vault. */
export const MIN_RSA_BITS = 1024
/**
 * The maximum size of an RSA key in bits, four times the usual size. The limit is needed because each doubling of the size makes a
 * verification four times as slow, and a login may try every key.
 */
export const MAX_RSA_BITS = 8192

/**
 * A key and its id. For a key from a key set, the id is its `kid` in the set. For a configured key, the id is the base64url SHA-256 of its
 * SPKI, which is the `kid` that Kubernetes uses.
 */
export interface KeyWithId<K> {
  readonly key: K
  readonly id: string
}

/** The keys in a configuration. Parsing the keys takes time, so keep this object as long as the configuration. */
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
   * @param pems SPKI `PUBLIC KEY` or X.509 `CERTIFICATE` blocks. The keys must be RSA keys or keys on P-256, P-384 and P-521.
   * @param name The name of the parameter for error messages.
   * @throws KernelError 400 if a string contains no key or a key of another kind
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
      } else if (sameElement(found.algorithm, RSA_ENCRYPTION)) rsa.push({ key: rsaKey(spki, name, crypto), id })
      else
        throw invalid(
          `${name}: must be RSA keys, or keys of the curves P-256, P-384 and P-521; one is ${describeAlgorithm(found)}`,
        )
    }
    return new VerificationKeys(crypto, rsa, ecdsa)
  }

  /** Creates an object from keys that have already been parsed. */
  static from(
    crypto: CryptoBackend,
    rsa: readonly KeyWithId<RsaPublicKey>[],
    ecdsa: ReadonlyMap<CurveName, readonly KeyWithId<EcdsaVerifyKey>[]>,
  ): VerificationKeys {
    return new VerificationKeys(crypto, rsa, ecdsa)
  }

  /** Whether the configuration has a key with this id. */
  has(id: unknown): boolean {
    return [this.rsa, ...this.#ecdsa.values()].some((keys) => keys.some((known) => known.id === id))
  }

  ecdsa(curve: CurveName): readonly KeyWithId<EcdsaVerifyKey>[] {
    return this.#ecdsa.get(curve) ?? []
  }
}

/** The public key in a PEM text with a single block. The other contents of a certificate, such as its dates, are ignored. */
function spkiOf(pem: string, name: string): Uint8Array {
  const { label, bytes } = decodeOnlyPem(['PUBLIC KEY', 'CERTIFICATE'], pem, name)
  return label === 'CERTIFICATE' ? readCertificate(bytes, name).spki : bytes
}

function rsaKey(spki: Uint8Array, name: string, { rsa }: CryptoBackend): RsaPublicKey {
  const key = named(name, () => RsaPublicKey.fromSpki(spki, rsa))
  const { modulusBits: bits } = key
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    throw invalid(`${name}: RSA keys must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits`)
  // OpenSSL accepts several encodings of a key and any exponent. Therefore check the encoding and the exponent here, too.
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
