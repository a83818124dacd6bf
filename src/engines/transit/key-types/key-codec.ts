/**
 * How keys of a type are imported and exported: wrapped, as text, and in backups of the originals. One object per family.
 *
 * Everything imported is validated here: a key that passes works with its type.
 */
import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import type { RsaPublicKey } from '../../../core/crypto/rsa/index.ts'
import type { VersionKey } from '../material.ts'
import type { NewKey } from './new-key.ts'

export interface IncomingKey extends NewKey {
  /** `key` is a public key, in the form that the type opens. */
  readonly publicOnly: boolean
  /** The scheme that its file restricts the key to, which is not kept. */
  readonly restriction?: string | undefined
}

/** The members of a version in a backup that hold its key (source: behaviour of the originals). Absent members are null there. */
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

/** `''` is each type's own form; callers may choose the others. */
export const EXPORT_FORMATS = ['', 'raw', 'der', 'pem'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The type's number in a backup; the two originals agree up to 9. */
export interface ArchiveNumbers {
  readonly openbao?: number
  readonly vault?: number
}

export interface KeyCodec {
  readonly numbers: ArchiveNumbers
  /** Imported derived rings derive in counter mode, as in the originals. */
  readonly counterMode: boolean
  /** Reads the content of a wrapped import: raw bytes, or PKCS#8 for pairs. `bytes` are lent. @throws KernelError 400 */
  readonly fromWrapped: (crypto: CryptoBackend, bytes: Uint8Array) => IncomingKey
  /** The content of a wrapped export; the caller wipes it. `key` is lent. */
  readonly toWrapped: (crypto: CryptoBackend, key: Uint8Array) => Uint8Array
  /** The private or symmetric key as text. `key` is lent. @throws KernelError 400 for a format that the type lacks */
  readonly toText: (crypto: CryptoBackend, key: Uint8Array, format: ExportFormat) => string
  /** From a backup. @throws KernelError 400 */
  readonly fromArchive: (crypto: CryptoBackend, archived: ArchivedKey) => IncomingKey
  /** For a backup; the caller wipes `key` of the result. `key` is lent. */
  readonly toArchive: (crypto: CryptoBackend, key: Uint8Array, publicOnly: boolean, publicKey: string) => ArchivedKey
  /** The public half, for types that have one. */
  readonly publicKey: PublicKeyCodec | undefined
}

export interface PublicKeyCodec {
  /** @throws KernelError 400 */
  readonly fromSpki: (crypto: CryptoBackend, der: Uint8Array) => IncomingKey
  /** The public key as text, from its form in a key read. @throws KernelError 400 for a format that the type lacks */
  readonly toText: (publicKey: string, format: ExportFormat) => string
  /** The key that other keys can be wrapped under; only RSA keys have one. */
  readonly recipient?: (key: VersionKey) => RsaPublicKey
}

/** Names the parameter in refusals of its content. */
export const WRAPPED_PARAMETER = 'ciphertext'

export const PUBLIC_KEY_PARAMETER = 'public_key'

export const BACKUP_PARAMETER = 'backup'

export const unsupportedFormat = (format: ExportFormat): KernelError =>
  invalid(`format: keys of this type are not exported as ${format}`)

export const missingKey = (): KernelError => invalid(`${BACKUP_PARAMETER}: a version has no key that is one of its type`)

/** DER as text in one of the two formats for it. `pem` makes the PEM form and is called only for that. */
export const derText = (der: Uint8Array, format: ExportFormat, pem: (der: Uint8Array) => string): string =>
  format === 'der' ? encodeBase64(der) : pem(der)
