/**
 * The interface of the cryptography that the kernel needs.
 *
 * A key object copies the given key bytes and never prints them. It keeps everything that is constant for a key: key schedules, tables,
 * hash states, decoded points. After `wipe()`, every call throws a TypeError, so that nothing is computed with a zeroed key.
 *
 * Methods named `...Steps` are generators for long input. They yield at least about every 5 ms and return the result. If the caller
 * abandons a generator, the key must stay usable.
 */
import type { Entropy } from '../base/entropy.ts'
import type { Steps } from '../base/steps.ts'
import type { HashName } from './hash-name.ts'
import type { RsaArithmetic } from './rsa/arithmetic.ts'

export type { HashName } from './hash-name.ts'

export type AeadName = 'aes-gcm' | 'chacha20-poly1305' | 'xchacha20-poly1305'

export type CurveName = 'P-256' | 'P-384' | 'P-521'

export interface Wipeable {
  /** Overwrites the key bytes in this object. May be called several times. */
  wipe(): void
}

/** The number of random bytes to pass as `hedge` to {@link EcdsaSignKey.signDigest}. It is enough for every curve. */
export const HEDGE_BYTES = 32

/**
 * Every AEAD key of every backend has a `shortBytes` of at least this number. So messages of at most this length never need the `...Steps`
 * methods.
 */
export const ALWAYS_SHORT = 512

export interface AeadKey extends Wipeable {
  /** The length of a nonce in bytes: 24 for xchacha20-poly1305, otherwise 12. */
  readonly nonceBytes: number
  /**
   * If the input (plaintext or ciphertext) and the additional data together have more bytes than this, use the `...Steps` methods. For
   * shorter input, a single call is faster.
   */
  readonly shortBytes: number
  /**
   * Writes the ciphertext and the 16-byte tag to `out`, beginning at the offset `at`. At least `plaintext.length + 16` bytes must be
   * available there. `out` must not overlap the inputs. The caller must never use a nonce twice.
   */
  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void
  sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void>
  /**
   * Decrypts `sealed`, which contains the ciphertext and the tag, beginning at the offset `from` (default 0). Undefined if authentication
   * fails. A caller that passes `from` need not allocate a view of a larger buffer.
   */
  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from?: number): Uint8Array | undefined
  openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined>
}

export interface Hash {
  readonly name: HashName
  /** The length of the digest in bytes. */
  readonly length: number
  readonly blockBytes: number
  digest(data: Uint8Array): Uint8Array
  digestSteps(data: Uint8Array): Steps<Uint8Array>
}

export interface MacKey extends Wipeable {
  mac(data: Uint8Array): Uint8Array
  /** The MAC in base64. Some platforms return base64 faster than bytes. */
  macText(data: Uint8Array): string
  macSteps(data: Uint8Array): Steps<Uint8Array>
}

export interface VerifyKey {
  /** Whether the signature is valid. Never throws: returns false for an invalid signature of any length. */
  verify(signature: Uint8Array, message: Uint8Array): boolean
  verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean>
}

/** Pure Ed25519 (RFC 8032). Verification follows OpenSSL and Go: it is cofactorless, requires a canonical S, and compares R as bytes. */
export interface Ed25519SignKey extends Wipeable {
  readonly publicKey: Uint8Array
  sign(message: Uint8Array): Uint8Array
  signSteps(message: Uint8Array): Steps<Uint8Array>
}

export interface EcdsaSignKey extends Wipeable {
  /** The public key as an uncompressed point of 65, 97 or 133 bytes. */
  readonly publicKey: Uint8Array
  /** For messages of more bytes than this, use the `...Steps` methods. */
  readonly shortBytes: number
  /**
   * Signs a digest. The secret number k is derived by RFC 6979 with the random `hedge` as additional input. Returns r || s. Does not replace
   * s by the lower of its two valid values. A digest that is longer than the order is truncated as in FIPS 186-5.
   */
  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array
  /**
   * Signs a message. If `entropy` is the system's entropy, the platform can choose the signature's secret number k itself. Otherwise all
   * random numbers are drawn from `entropy`.
   */
  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array
  signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array>
  /**
   * ECDH (SEC 1 section 3.3.1). Returns the x coordinate, which is as long as a field element; the caller must wipe it. Undefined if
   * `point`, the public key of the other party, is not on the curve.
   */
  agree(point: Uint8Array): Uint8Array | undefined
}

export interface EcdsaVerifyKey {
  /** For messages of more bytes than this, use the `...Steps` methods. */
  readonly shortBytes: number
  /**
   * Verifies the signature of a digest. Never throws. @param signature r || s, twice the field size. A signature of another length is
   * invalid. Both valid values of s are accepted.
   */
  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean
  /** Verifies the signature of a message. Backends that cannot verify digests natively do this faster than `verifyDigest`. */
  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean
  verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean>
}

/** The length in bytes of secret keys, public keys and shared secrets of X25519. */
export const X25519_BYTES = 32

/** X25519 (RFC 7748 section 5). */
export interface X25519Key extends Wipeable {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array
  /**
   * The shared secret of 32 bytes. The caller must wipe it. Undefined if the public key does not have 32 bytes, or has low order: with such
   * a key, the shared secret would not be secret.
   */
  agree(publicKey: Uint8Array): Uint8Array | undefined
}

/**
 * The backends of this package load the code of elliptic curves when it is first needed. A kernel has loaded the code before it calls a
 * method for keys on a curve, whatever the backend is, so an implementation may pass such calls to a backend of this package.
 */
export interface CryptoBackend {
  readonly name: string
  /**
   * The curves whose signatures native code computes on the event loop. Only estimates of computing times depend on it. Default: none, as
   * with JavaScript.
   */
  readonly nativeCurves?: readonly (CurveName | 'Ed25519')[]
  /** @throws TypeError unless the key has 16 or 32 bytes (aes-gcm) or 32 bytes (all other ciphers) */
  aead(algorithm: AeadName, key: Uint8Array): AeadKey
  hash(name: HashName): Hash
  hmac(hash: HashName, key: Uint8Array): MacKey
  /** HKDF (RFC 5869). If the salt is undefined, it is empty. */
  hkdf(hash: HashName, ikm: Uint8Array, salt: Uint8Array | undefined, info: Uint8Array, length: number): Uint8Array
  ed25519Sign(seed: Uint8Array): Ed25519SignKey
  /** @throws KernelError 400 if the bytes are not a point of the curve */
  ed25519Verify(publicKey: Uint8Array): VerifyKey
  /** Generates a private scalar from the random bytes that `random(n)` returns. The scalar is big-endian and has 32, 48 or 66 bytes. */
  ecdsaGenerate(curve: CurveName, random: (n: number) => Uint8Array): Uint8Array
  ecdsaSign(curve: CurveName, scalar: Uint8Array): EcdsaSignKey
  /** @throws KernelError 400 if the point is not on the curve */
  ecdsaVerify(curve: CurveName, publicKey: Uint8Array): EcdsaVerifyKey
  /** @throws TypeError unless the secret key has 32 bytes */
  x25519(secretKey: Uint8Array): X25519Key
  /** RSA. Default: the RSA of the platform, which browsers do not have. The option `rsa` of the kernel sets it. */
  readonly rsa?: RsaArithmetic
}
