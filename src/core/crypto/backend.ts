/**
 * What the kernel needs from symmetric and elliptic-curve cryptography.
 *
 * Key objects keep what is constant per key (key schedule, tables, inner hash state, decoded points). They copy the key bytes they are
 * given, never print them, and are dead after `wipe()`: every later call throws a TypeError, so that nothing is ever computed under
 * zeros. Methods named `...Steps` do the same work in pieces for long input: the generator yields where the caller may give way to the
 * event loop (at most about 5 ms of work between two yields) and returns the result. Abandoning one must leave the key usable.
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
  /** Overwrites what this object holds of the key. Idempotent. */
  wipe(): void
}

/** Hedging of ECDSA needs only the strength of the curve. */
export const HEDGE_BYTES = 32

/** Messages up to this many bytes are short for every key of every backend. */
export const ALWAYS_SHORT = 512

export interface AeadKey extends Wipeable {
  /** 12, or 24 for xchacha20-poly1305. */
  readonly nonceBytes: number
  /** Text and additional data of more bytes than this should go by the steps; what is shorter is quickest in one call. */
  readonly shortBytes: number
  /**
   * Writes ciphertext and 16-byte tag to `out`, starting at `at` (room for `plaintext.length + 16` bytes is the caller's business).
   * `out` must not overlap the inputs. The caller answers for the nonce being used once.
   */
  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void
  sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void>
  /**
   * The plaintext of `sealed` (ciphertext and tag, from `from` on), or undefined when it does not authenticate; then no plaintext was ever
   * made. `from` spares short messages a view of their own. Default: 0.
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
  /** The same as base64: a platform may have the text for less than the bytes. */
  macText(data: Uint8Array): string
  macSteps(data: Uint8Array): Steps<Uint8Array>
}

export interface VerifyKey {
  /** Never throws for any signature or message bytes; false is the only answer to a bad one. */
  verify(signature: Uint8Array, message: Uint8Array): boolean
  verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean>
}

/** Pure Ed25519, RFC 8032; verification as OpenSSL and Go do it (cofactorless, canonical S, R compared as bytes). */
export interface Ed25519SignKey extends Wipeable {
  readonly publicKey: Uint8Array
  sign(message: Uint8Array): Uint8Array
  signSteps(message: Uint8Array): Steps<Uint8Array>
}

export interface EcdsaSignKey extends Wipeable {
  /** Uncompressed point, 65 / 97 / 133 bytes. */
  readonly publicKey: Uint8Array
  /** Messages of more bytes than this should go by the steps. */
  readonly shortBytes: number
  /**
   * Hedged k (RFC 6979 with `hedge`), no low-S. `digest` may have any length: truncated to the order as the standard says. Returns r || s.
   */
  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array
  /**
   * The same of a message. Where `entropy` is the system's own a backend may have k made by the platform, otherwise all randomness comes
   * from it.
   */
  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array
  signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array>
  /**
   * ECDH (SEC 1 section 3.3.1): the x coordinate, as long as the field; the caller wipes it. `point` is the other's public key.
   * Undefined when it is not on the curve.
   */
  agree(point: Uint8Array): Uint8Array | undefined
}

export interface EcdsaVerifyKey {
  /** Messages of more bytes than this should go by the steps. */
  readonly shortBytes: number
  /** `signature` is r || s, twice the field size; any other length is false. High S is accepted. Never throws. */
  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean
  /** The same of a message. Quicker where a backend can hash and verify, but not verify digests. */
  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean
  verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean>
}

/** X25519, RFC 7748 section 5. */
export interface X25519Key extends Wipeable {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /**
   * The secret shared with the owner of a public key, 32 bytes, which the caller wipes. Undefined for another length than 32, and for a
   * key of low order, which would make it known to everybody.
   */
  agree(publicKey: Uint8Array): Uint8Array | undefined
}

export interface CryptoBackend {
  readonly name: string
  /** @throws TypeError when the key has another length than 16 or 32 (aes-gcm), 32 (the others) bytes. */
  aead(algorithm: AeadName, key: Uint8Array): AeadKey
  hash(name: HashName): Hash
  hmac(hash: HashName, key: Uint8Array): MacKey
  /** RFC 5869; an absent salt is the empty one. */
  hkdf(hash: HashName, ikm: Uint8Array, salt: Uint8Array | undefined, info: Uint8Array, length: number): Uint8Array
  ed25519Sign(seed: Uint8Array): Ed25519SignKey
  /** @throws KernelError (400) when the 32 bytes are no point of the curve. */
  ed25519Verify(publicKey: Uint8Array): VerifyKey
  /** A fresh private scalar, big-endian, 32 / 48 / 66 bytes, made from `random(n)`. */
  ecdsaGenerate(curve: CurveName, random: (n: number) => Uint8Array): Uint8Array
  ecdsaSign(curve: CurveName, scalar: Uint8Array): EcdsaSignKey
  /** @throws KernelError (400) when the point is not on the curve. */
  ecdsaVerify(curve: CurveName, publicKey: Uint8Array): EcdsaVerifyKey
  /** @throws TypeError when the secret key has another length than 32 bytes. */
  x25519(secretKey: Uint8Array): X25519Key
}
