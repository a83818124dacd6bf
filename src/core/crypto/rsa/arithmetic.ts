/**
 * The interface of RSA arithmetic, which the noble libraries lack. Platforms implement RSA faster than JavaScript and in constant time.
 * `#platform/rsa` exports the implementation of the platform. An application can replace it with the option `rsa`, which is an
 * {@link RsaPort}.
 *
 * An implementation must implement raw exponentiation, OAEP and the parsing of keys. It need not implement the padding for signatures of digests,
 * because this folder does. It may also sign and verify whole messages.
 */
import type { Entropy } from '../../base/entropy.ts'
import type { Steps } from '../../base/steps.ts'
import type { HashName } from '../hash-name.ts'

/** The signature scheme for a whole message. */
export interface RsaScheme {
  readonly hash: HashName
  /** The length of the PSS salt in bytes. `any` is allowed only for verification. Undefined for PKCS#1 v1.5. */
  readonly salt: number | 'any' | undefined
}

/** A parsed public key. */
export interface RsaPublicArithmetic {
  readonly modulusBits: number
  /** The key as SubjectPublicKeyInfo DER. */
  spki(): Uint8Array
  /** Computes `message ^ e mod n`. @param message As long as the modulus. @returns Undefined if `message` is not less than the modulus. */
  raise(message: Uint8Array): Uint8Array | undefined
  /**
   * Verifies the signature of a whole message, which takes half the time of verifying a digest. `signature` must be as long as the modulus.
   * Undefined if the platform does not support the scheme.
   */
  verifyMessage(scheme: RsaScheme, message: Uint8Array, signature: Uint8Array): boolean | undefined
  /** Encrypts with RSAES-OAEP, using the same hash for MGF1 and an empty label. The caller has checked the length of the plaintext. */
  encryptOaep(plaintext: Uint8Array, hash: HashName): Uint8Array
}

/** A parsed private key. It has no method `wipe`: drop all references to it instead. */
export interface RsaPrivateArithmetic {
  readonly publicKey: RsaPublicArithmetic
  /**
   * Computes `message ^ d mod n`, with blinding.
   * @param message As long as the modulus.
   * @throws an error if the private components do not match the public components
   */
  raise(message: Uint8Array): Uint8Array
  /** Does the same as `raise` in slices. Only implementations that are slow on the event loop have it. */
  raiseSteps?(message: Uint8Array): Steps<Uint8Array>
  /**
   * Signs a whole message. The platform chooses a random salt. The caller has checked the length of the salt. Undefined if the platform
   * does not support the scheme.
   */
  signMessage(scheme: RsaScheme, message: Uint8Array): Uint8Array | undefined
  /** Decrypts `ciphertext`, which must be as long as the modulus. The caller owns the plaintext. Undefined after any failure. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName): Uint8Array | undefined
  /** Does the same as `decryptOaep` in slices. Only implementations that are slow on the event loop have it. */
  decryptOaepSteps?(ciphertext: Uint8Array, hash: HashName): Steps<Uint8Array | undefined>
  /** The key as PEM `RSA PRIVATE KEY`, with LF line endings and a newline at the end. */
  pkcs1Pem(): string
}

export type RsaBits = 2048 | 3072 | 4096

export interface RsaArithmetic {
  /** Generates a private key off the event loop, or on it in slices. Returns it as PKCS#8 DER, with the exponent 65537. The caller wipes it. */
  generate(bits: RsaBits): Promise<Uint8Array>
  /** Parses a public key. Undefined if `spki` is not an RSA public key. The callee neither keeps nor changes `spki`. */
  openPublic(spki: Uint8Array): RsaPublicArithmetic | undefined
  /** Parses a private key. Undefined if `pkcs8` is not an RSA private key. The callee neither keeps nor changes `pkcs8`. */
  openPrivate(pkcs8: Uint8Array): RsaPrivateArithmetic | undefined
}

/** RSA that replaces that of the platform: the option `rsa`. On browsers, use `forgeRsa()` of `strongroom/crypto/forge`. */
export interface RsaPort {
  /** Called once by each kernel. @param entropy The only source of randomness that the result may use. */
  open(entropy: Entropy): RsaArithmetic
}
