/**
 * The part of the WebCrypto interface that the kernel uses. `#platform/subtle` exports the runtime's implementation, or undefined if it has
 * none.
 */

import type { AeadKey, CryptoBackend, Hash, HashName, MacKey } from '../backend.ts'

/** A `CryptoKey`. Its bytes cannot be extracted. */
export type PlatformKey = object

interface EcdsaKeyAlgorithm {
  readonly name: 'ECDSA'
  readonly namedCurve: string
}

export interface AesGcmParameters {
  readonly name: 'AES-GCM'
  readonly iv: Uint8Array
  readonly additionalData: Uint8Array
}

interface EcdsaParameters {
  readonly name: 'ECDSA'
  readonly hash: string
}

type KeyUsage = 'encrypt' | 'decrypt' | 'sign' | 'verify'

/** Every method copies its input before it returns the promise. */
export interface Subtle {
  importKey(
    format: 'raw' | 'pkcs8',
    bytes: Uint8Array,
    algorithm: 'AES-GCM' | EcdsaKeyAlgorithm,
    extractable: false,
    usages: KeyUsage[],
  ): Promise<PlatformKey>
  encrypt(algorithm: AesGcmParameters, key: PlatformKey, plaintext: Uint8Array): Promise<ArrayBuffer>
  decrypt(algorithm: AesGcmParameters, key: PlatformKey, sealed: Uint8Array): Promise<ArrayBuffer>
  sign(algorithm: EcdsaParameters, key: PlatformKey, message: Uint8Array): Promise<ArrayBuffer>
  verify(algorithm: EcdsaParameters, key: PlatformKey, signature: Uint8Array, message: Uint8Array): Promise<boolean>
}

/** ECDSA whose methods return their results immediately, except for the `...Steps` methods of its keys. */
export type PlatformEcdsa = Pick<CryptoBackend, 'ecdsaSign' | 'ecdsaVerify'>

/** Hash functions and HMAC whose methods return their results immediately. */
export interface PlatformHashes {
  /** Whether the platform has this hash function. */
  readonly has: (name: HashName) => boolean
  readonly hash: (name: HashName) => Hash
  readonly hmac: (hash: HashName, key: Uint8Array) => MacKey
  /** For at most this many bytes, noble is used. */
  readonly shortBytes: number
}

export interface WebCryptoPlatform {
  readonly subtle: Subtle
  /** AES-GCM of the platform whose methods return their results immediately. The key has 16 or 32 bytes. */
  readonly gcm?: (key: Uint8Array) => AeadKey
  /**
   * ChaCha20-Poly1305 of the platform whose methods return their results immediately. Returns undefined if the platform does not have the
   * cipher now, for example because it was set to allow only FIPS ciphers.
   */
  readonly chacha?: (key: Uint8Array) => AeadKey | undefined
  readonly hashes?: PlatformHashes
  /**
   * Loads the ECDSA of the platform that replaces WebCrypto and noble. `NIST_CURVES` calls it, together with loading the code of noble's
   * curves.
   */
  readonly ecdsa?: () => Promise<PlatformEcdsa>
  /** AES-GCM messages of at most this many bytes are processed in one call. */
  readonly shortGcmBytes: number
  /** AES-GCM messages of more than this many bytes are processed by WebCrypto. */
  readonly webCryptoGcmBytes: number
  /**
   * The minimum length in bytes of the first message that a key encrypts or decrypts with WebCrypto. A shorter first message is processed
   * without it: importing the key takes time that is wasted if the key is used only once, as derived keys are.
   */
  readonly importingGcmBytes: number
}
