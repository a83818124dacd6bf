/**
 * The port for RSA arithmetic, which noble does not have. Platforms implement it faster and in constant time; `#platform/rsa` exports the
 * implementation.
 *
 * Padding for signatures of digests is implemented here, so an implementation needs raw exponentiation, OAEP and key parsing. It may also
 * sign and verify whole messages.
 */
import type { HashName } from '../backend.ts'

/** The signature scheme for a whole message. */
export interface RsaScheme {
  readonly hash: HashName
  /** Salt length of PSS in bytes; `any` only for verification; undefined for PKCS#1 v1.5. */
  readonly salt: number | 'any' | undefined
}

/** A parsed public key. */
export interface RsaPublicArithmetic {
  readonly modulusBits: number
  /** SubjectPublicKeyInfo DER. */
  spki(): Uint8Array
  /** `message ^ e mod n`. @param message As long as the modulus. @returns Undefined if `message` is not less than the modulus. */
  raise(message: Uint8Array): Uint8Array | undefined
  /**
   * Verifies the signature of a whole message in half the time of a digest. `signature` is as long as the modulus. Undefined if the
   * platform does not support the scheme.
   */
  verifyMessage(scheme: RsaScheme, message: Uint8Array, signature: Uint8Array): boolean | undefined
  /** RSAES-OAEP with MGF1 over the same hash and an empty label. The caller has checked the length of the plaintext. */
  encryptOaep(plaintext: Uint8Array, hash: HashName): Uint8Array
}

/** A parsed private key. It has no `wipe`: drop all references to it. */
export interface RsaPrivateArithmetic {
  readonly publicKey: RsaPublicArithmetic
  /**
   * `message ^ d mod n`, blinded.
   * @param message As long as the modulus.
   * @throws an error if the private numbers do not match the public ones
   */
  raise(message: Uint8Array): Uint8Array
  /**
   * Signs a whole message, with a random salt from the platform. The caller has checked the salt length. Undefined if the platform does not
   * support the scheme.
   */
  signMessage(scheme: RsaScheme, message: Uint8Array): Uint8Array | undefined
  /** The plaintext, which the caller owns, or undefined after any failure. `ciphertext` is as long as the modulus. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName): Uint8Array | undefined
  /** PEM `RSA PRIVATE KEY` with LF and a newline at the end. */
  pkcs1Pem(): string
}

export type RsaBits = 2048 | 3072 | 4096

export interface RsaArithmetic {
  /** Generates a private key off the event loop, as PKCS#8 DER with exponent 65537. The caller wipes it. */
  generate(bits: RsaBits): Promise<Uint8Array>
  /** Undefined if it is not an RSA public key. `spki` is lent. */
  openPublic(spki: Uint8Array): RsaPublicArithmetic | undefined
  /** Undefined if it is not an RSA private key. `pkcs8` is lent. */
  openPrivate(pkcs8: Uint8Array): RsaPrivateArithmetic | undefined
}
