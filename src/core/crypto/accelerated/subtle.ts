/**
 * The part of the platform's WebCrypto that is used. `#platform/subtle` is the platform's own, undefined where it has none.
 */

/** Opaque: what the platform made of key bytes and gives to nobody. */
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

/** Every method copies the bytes it is given before it returns its promise. */
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

export interface WebCryptoPlatform {
  readonly subtle: Subtle
  /** Messages of AES-GCM up to this many bytes are quicker here: asking the platform costs as much as they do. */
  readonly shortGcmBytes: number
  /** A key that is used for the first time is imported for messages of so many bytes: importing costs, too, and derived keys are used once. */
  readonly importingGcmBytes: number
}
