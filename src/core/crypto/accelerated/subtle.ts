/**
 * The part of the platform's WebCrypto that is used. `#platform/subtle` is the platform's own, undefined where it has none.
 */

/** Opaque: what the platform made of key bytes and gives to nobody. */
export type PlatformKey = object

interface Curve {
  readonly name: 'ECDSA'
  readonly namedCurve: string
}

export interface Gcm {
  readonly name: 'AES-GCM'
  readonly iv: Uint8Array
  readonly additionalData: Uint8Array
}

interface Ecdsa {
  readonly name: 'ECDSA'
  readonly hash: string
}

type Usage = 'encrypt' | 'decrypt' | 'sign' | 'verify'

/** Every method copies the bytes it is given before it returns its promise. */
export interface Subtle {
  importKey(
    format: 'raw' | 'pkcs8',
    bytes: Uint8Array,
    algorithm: 'AES-GCM' | Curve,
    extractable: false,
    usages: Usage[],
  ): Promise<PlatformKey>
  encrypt(algorithm: Gcm, key: PlatformKey, plaintext: Uint8Array): Promise<ArrayBuffer>
  decrypt(algorithm: Gcm, key: PlatformKey, sealed: Uint8Array): Promise<ArrayBuffer>
  sign(algorithm: Ecdsa, key: PlatformKey, message: Uint8Array): Promise<ArrayBuffer>
  verify(algorithm: Ecdsa, key: PlatformKey, signature: Uint8Array, message: Uint8Array): Promise<boolean>
}

export interface Platform {
  readonly subtle: Subtle
  /** Messages of AES-GCM up to this many bytes are quicker here: asking the platform costs as much as they do. */
  readonly shortGcmBytes: number
  /** A key that is used for the first time is imported for messages of so many bytes: importing costs, too, and derived keys are used once. */
  readonly importingGcmBytes: number
}
