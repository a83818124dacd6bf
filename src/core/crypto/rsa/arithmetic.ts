/**
 * RSA arithmetic as a port: noble has none, and what a platform has is faster and constant in time. `#platform/rsa` is the platform's own.
 *
 * Padding for signatures of digests is made and judged here, so an adapter has to do bare exponentiation, OAEP and the reading of keys.
 * Signatures of whole messages it may do by itself.
 */
import type { HashName } from '../backend.ts'

/** How a whole message is signed. */
export interface RsaScheme {
  readonly hash: HashName
  /** Bytes of salt for PSS, `any` only where a signature is judged; undefined is PKCS#1 v1.5. */
  readonly salt: number | 'any' | undefined
}

/** A public key that was read. */
export interface RsaPublicArithmetic {
  readonly modulusBits: number
  /** SubjectPublicKeyInfo, DER. */
  spki(): Uint8Array
  /** `message ^ e mod n`. `message` is as long as the modulus; undefined when it is not below it. */
  raise(message: Uint8Array): Uint8Array | undefined
  /**
   * Judges the signature of a whole message, which takes half the time of padding made here. `signature` is as long as the modulus.
   * Undefined where the platform cannot tell.
   */
  verifyMessage(scheme: RsaScheme, message: Uint8Array, signature: Uint8Array): boolean | undefined
  /** RSAES-OAEP, MGF1 with the same hash, empty label. The plaintext fits. */
  encryptOaep(plaintext: Uint8Array, hash: HashName): Uint8Array
}

/** A private key that was read. Dropping the object is all it takes to forget it. */
export interface RsaPrivateArithmetic {
  readonly publicKey: RsaPublicArithmetic
  /** `message ^ d mod n`, blinded. `message` is as long as the modulus. Throws where the private numbers belong to another key. */
  raise(message: Uint8Array): Uint8Array
  /** Signs a whole message, with salt from the platform. The salt fits. Undefined where the platform cannot. */
  signMessage(scheme: RsaScheme, message: Uint8Array): Uint8Array | undefined
  /** The plaintext, the caller's; undefined whatever the reason. `ciphertext` is as long as the modulus. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName): Uint8Array | undefined
  /** PEM `RSA PRIVATE KEY`, LF, a newline at the end. */
  pkcs1Pem(): string
}

export type RsaBits = 2048 | 3072 | 4096

export interface RsaArithmetic {
  /** A new private key as PKCS#8 DER, exponent 65537, off the event loop. The caller wipes it. */
  generate(bits: RsaBits): Promise<Uint8Array>
  /** `spki` is lent. Undefined when it is no RSA public key. */
  openPublic(spki: Uint8Array): RsaPublicArithmetic | undefined
  /** `pkcs8` is lent. Undefined when it is no RSA private key. */
  openPrivate(pkcs8: Uint8Array): RsaPrivateArithmetic | undefined
}
