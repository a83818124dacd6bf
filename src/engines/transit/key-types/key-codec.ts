/**
 * Import and export of keys: wrapped, as text, and in backups. Each family of key types has one codec.
 *
 * Codecs validate everything that they import, so every imported key can be used. A function neither keeps nor changes bytes that are lent
 * to it.
 */
import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import type { RsaPublicKey } from '../../../core/crypto/rsa/index.ts'
import type { VersionKey } from '../material.ts'
import type { NewKey } from './new-key.ts'

export interface IncomingKey extends NewKey {
  /** Whether the import has only a public key. `key` then is that public key, in the form that `openPublic` takes. */
  readonly publicOnly: boolean
  /** The signature or encryption scheme to which the file restricts the key, if it does. The restriction is not stored. */
  readonly restriction?: string | undefined
}

/** The members of a version in a backup that contain its key. In the backup, absent members are null. */
export interface ArchivedKey {
  readonly key?: Uint8Array | undefined
  readonly ec_x?: bigint | undefined
  readonly ec_y?: bigint | undefined
  readonly ec_d?: bigint | undefined
  readonly rsa_key?: ArchivedRsaKey | undefined
  readonly rsa_public_key?: { readonly N: bigint; readonly E: bigint } | undefined
  readonly public_key: string
}

export interface ArchivedRsaKey {
  readonly N: bigint
  readonly E: bigint
  readonly D: bigint
  readonly Primes: readonly bigint[]
  readonly Precomputed: { readonly Dp: bigint; readonly Dq: bigint; readonly Qinv: bigint } | undefined
}

/** `''` selects the default form of the key type. */
export const EXPORT_FORMATS = ['', 'raw', 'der', 'pem'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The number of the key type in a backup. Vault and OpenBao use the same numbers up to 9. */
export interface ArchiveNumbers {
  readonly openbao?: number
  readonly vault?: number
}

/** The backup numbers of a key type that has the same number in OpenBao and Vault. */
export const sameNumber = (number: number): ArchiveNumbers => ({ openbao: number, vault: number })

export interface KeyCodec {
  /** Whether imported derived keys derive in counter mode (kdf 0), as in Vault. */
  readonly counterMode: boolean
  /** Reads the unwrapped bytes of an import: the raw key, or PKCS#8 for key pairs. `bytes` is lent. @throws KernelError 400 */
  readonly fromWrapped: (crypto: CryptoBackend, bytes: Uint8Array) => IncomingKey
  /**
   * Tests an imported key by an operation with it. RSA numbers can be consistent even if a factor is not prime, so a test signature is
   * made. `key` is lent until the function returns; the steps do not use it. Undefined for types that need no test.
   * @throws KernelError 400
   */
  readonly test?: (crypto: CryptoBackend, key: Uint8Array) => void | Steps<void>
  /** Returns the bytes to wrap for an export; the caller wipes them. `key` is lent. */
  readonly toWrapped: (crypto: CryptoBackend, key: Uint8Array) => Uint8Array
  /** Returns the private or symmetric key as text. `key` is lent. @throws KernelError 400 if the type does not have the format */
  readonly toText: (crypto: CryptoBackend, key: Uint8Array, format: ExportFormat) => string
  /** Reads the members of a version in a backup. @throws KernelError 400 if the key is missing or invalid */
  readonly fromArchive: (crypto: CryptoBackend, archived: ArchivedKey) => IncomingKey
  /** Returns the members of a version in a backup. `key` is lent; the caller wipes `key` of the result. */
  readonly toArchive: (crypto: CryptoBackend, key: Uint8Array, publicOnly: boolean, publicKey: string) => ArchivedKey
  /** The codec of the public half; undefined for types without public keys. */
  readonly publicKey: PublicKeyCodec | undefined
}

export interface PublicKeyCodec {
  /** Reads a public key from SubjectPublicKeyInfo. @throws KernelError 400 if the key is not a valid key of the type */
  readonly fromSpki: (crypto: CryptoBackend, der: Uint8Array) => IncomingKey
  /** Exports a public key. @param publicKey In the form that `readKey` shows. @throws KernelError 400 if the type does not have the format */
  readonly toText: (publicKey: string, format: ExportFormat) => string
  /** The public key under which other keys can be wrapped; only RSA keys have it. */
  readonly recipient?: (key: VersionKey) => RsaPublicKey
}

/** The names of the parameters that contain keys, for error messages. */
export const WRAPPED_PARAMETER = 'ciphertext'

export const PUBLIC_KEY_PARAMETER = 'public_key'

export const BACKUP_PARAMETER = 'backup'

export const unsupportedFormat = (format: ExportFormat): KernelError =>
  invalid(`format: keys of this type cannot be exported as ${format}`)

export const missingKey = (): KernelError =>
  invalid(`${BACKUP_PARAMETER}: a version lacks the key material that the key type requires`)

/** Returns DER as base64 if the format is `der`; otherwise returns the result of `pem`. */
export const derText = (der: Uint8Array, format: ExportFormat, pem: (der: Uint8Array) => string): string =>
  format === 'der' ? encodeBase64(der) : pem(der)
