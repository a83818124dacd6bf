/**
 * The cryptography that the kernel needs, except RSA.
 *
 * Key objects keep everything that is constant per key: key schedules, tables, hash states, decoded points. They copy the given key bytes
 * and never print them. After `wipe()` every call throws a TypeError, so that nothing is ever computed with a zeroed key.
 *
 * Methods named `...Steps` are generators for long input: they yield at least every 5 ms or so and return the result. Abandoning one must
 * leave the key usable.
 */
import type { Entropy } from '../base/entropy.ts'
import type { Steps } from '../base/steps.ts'

export type AeadName = 'aes-gcm' | 'chacha20-poly1305' | 'xchacha20-poly1305'

export type HashName =
  | 'sha1'
  | 'sha2-224'
  | 'sha2-256'
  | 'sha2-384'
  | 'sha2-512'
  | 'sha3-224'
  | 'sha3-256'
  | 'sha3-384'
  | 'sha3-512'

export type CurveName = 'P-256' | 'P-384' | 'P-521'

export interface Wipeable {
  /** Overwrites the key bytes in this object. Idempotent. */
  wipe(): void
}

/** Random bytes for hedged ECDSA: 32 are enough for every curve. */
export const HEDGE_BYTES = 32

/** Messages up to this many bytes are short for every key of every backend. */
export const ALWAYS_SHORT = 512

export interface AeadKey extends Wipeable {
  /** 12, or 24 for xchacha20-poly1305. */
  readonly nonceBytes: number
  /** If text and additional data have more bytes than this, use the `...Steps` methods. Shorter input is faster in one call. */
  readonly shortBytes: number
  /**
   * Writes ciphertext and 16-byte tag to `out` from offset `at`, where `plaintext.length + 16` bytes must be available. `out` must not
   * overlap the inputs. The caller must never use a nonce twice.
   */
  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void
  sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void>
  /**
   * Decrypts `sealed`, which is ciphertext and tag from offset `from` (default 0). Undefined if authentication fails. `from` saves short
   * messages the allocation of a view.
   */
  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from?: number): Uint8Array | undefined
  openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined>
}

export interface Hash {
  readonly name: HashName
  /** Digest length in bytes. */
  readonly length: number
  readonly blockBytes: number
  digest(data: Uint8Array): Uint8Array
  digestSteps(data: Uint8Array): Steps<Uint8Array>
}

export interface MacKey extends Wipeable {
  mac(data: Uint8Array): Uint8Array
  /** The MAC as base64, which some platforms return faster than bytes. */
  macText(data: Uint8Array): string
  macSteps(data: Uint8Array): Steps<Uint8Array>
}

export interface VerifyKey {
  /** False for every invalid signature; never throws. */
  verify(signature: Uint8Array, message: Uint8Array): boolean
  verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean>
}

/** Pure Ed25519 (RFC 8032). Verification as in OpenSSL and Go: cofactorless, canonical S, R compared as bytes. */
export interface Ed25519SignKey extends Wipeable {
  readonly publicKey: Uint8Array
  sign(message: Uint8Array): Uint8Array
  signSteps(message: Uint8Array): Steps<Uint8Array>
}

export interface EcdsaSignKey extends Wipeable {
  /** Uncompressed point, 65, 97 or 133 bytes. */
  readonly publicKey: Uint8Array
  /** For longer messages, use the `...Steps` methods. */
  readonly shortBytes: number
  /**
   * Signs with a hedged k (RFC 6979 with `hedge` as additional input); s is not normalized to its lower value. A digest longer than the
   * order is truncated as FIPS 186-5 requires. Returns r || s.
   */
  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array
  /** Signs a message. If `entropy` is that of the system, the platform may choose k; otherwise all random numbers come from `entropy`. */
  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array
  signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array>
  /**
   * ECDH (SEC 1 section 3.3.1). Returns the x coordinate, as long as the field, which the caller wipes. Undefined if `point`, the other
   * public key, is not on the curve.
   */
  agree(point: Uint8Array): Uint8Array | undefined
}

export interface EcdsaVerifyKey {
  /** For longer messages, use the `...Steps` methods. */
  readonly shortBytes: number
  /** Never throws. @param signature r || s, twice the field size; any other length is invalid. Both values of s are accepted. */
  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean
  /** Verifies the signature of a message. Faster than `verifyDigest` in backends that cannot verify digests natively. */
  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean
  verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean>
}

/** X25519 (RFC 7748 section 5). */
export interface X25519Key extends Wipeable {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /**
   * The shared secret of 32 bytes, which the caller wipes. Undefined for a public key that does not have 32 bytes or has low order: the
   * secret would then be the same for everyone.
   */
  agree(publicKey: Uint8Array): Uint8Array | undefined
}

export interface CryptoBackend {
  readonly name: string
  /** @throws TypeError unless the key has 16 or 32 bytes (aes-gcm), or 32 bytes (others) */
  aead(algorithm: AeadName, key: Uint8Array): AeadKey
  hash(name: HashName): Hash
  hmac(hash: HashName, key: Uint8Array): MacKey
  /** RFC 5869. An undefined salt means an empty salt. */
  hkdf(hash: HashName, ikm: Uint8Array, salt: Uint8Array | undefined, info: Uint8Array, length: number): Uint8Array
  ed25519Sign(seed: Uint8Array): Ed25519SignKey
  /** @throws KernelError 400 if the bytes are not a point of the curve */
  ed25519Verify(publicKey: Uint8Array): VerifyKey
  /** A new private scalar, big-endian, 32, 48 or 66 bytes, generated from `random(n)`. */
  ecdsaGenerate(curve: CurveName, random: (n: number) => Uint8Array): Uint8Array
  ecdsaSign(curve: CurveName, scalar: Uint8Array): EcdsaSignKey
  /** @throws KernelError 400 if the point is not on the curve */
  ecdsaVerify(curve: CurveName, publicKey: Uint8Array): EcdsaVerifyKey
  /** @throws TypeError unless the secret key has 32 bytes */
  x25519(secretKey: Uint8Array): X25519Key
}
