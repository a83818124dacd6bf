/** The result of a key read. It never contains key material. */
import { encodeBase64 } from '../../core/base/base64.ts'
import { EMPTY } from '../../core/base/bytes.ts'
import { rfc3339 } from '../../core/base/clock.ts'
import { Pace, PIECE_MICROSECONDS, type Steps } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { encodePem } from '../../core/crypto/pem.ts'
import type { Builder } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { type KeyTypeName, keyType } from './key-types/index.ts'
import type { Ring, RingVersion, StoredBackupInfo } from './ring.ts'
import { RingKeys } from './ring-keys.ts'

/** The description of one version of an asymmetric key. */
export interface PublicVersion {
  /** The name of the key type or curve, such as `P-256`, `ed25519` or `rsa-2048`. */
  readonly name: string
  /** The public key as SPKI in PEM, or as base64 of 32 bytes for ed25519. Empty for a derived key that is read without a context. */
  readonly public_key: string
  /** The certificate chain in PEM, the end-entity certificate first; empty if no chain was set. */
  readonly certificate_chain: string
  /** The creation time of the version, in RFC 3339 format. */
  readonly creation_time: string
}

export interface BackupInfo {
  /** The time of the backup or restore, in RFC 3339 format. */
  readonly time: string
  /** The latest version at that time. */
  readonly version: number
}

const showBackupInfo = ({ time, version }: StoredBackupInfo): BackupInfo => ({ time: rfc3339(time), version })

const KDF_NAMES = ['hmac-sha256-counter', 'hkdf_sha256'] as const

/** The type of the key that a result describes. */
export const KEY_TYPE = f.text('The key type.') as Builder<KeyTypeName>

export const KEY_RECORD = {
  name: f.text('The name of the key.'),
  type: KEY_TYPE,
  derived: f.bool('Whether the key is derived, so that calls must pass a context.'),
  deletion_allowed: f.bool('Whether the key may be deleted.'),
  exportable: f.bool('Whether key material may be exported.'),
  allow_plaintext_backup: f.bool('Whether the key may be backed up in plaintext.'),
  auto_rotate_period: f.int('Seconds between automatic rotations; 0 means never.'),
  min_available_version: f.int('Versions below this one were removed permanently; 0 if no version was removed.'),
  min_decryption_version: f.int('Versions below this one do not decrypt or verify.'),
  min_encryption_version: f.int('Versions below this one do not encrypt or sign; 0 means no limit.'),
  latest_version: f.int('The latest version.'),
  supports_encryption: f.bool('Whether the key type can encrypt.'),
  supports_decryption: f.bool('Whether the key type can decrypt.'),
  supports_derivation: f.bool('Whether the key type can derive keys from a context.'),
  supports_signing: f.bool('Whether the key type can sign.'),
  imported: f.bool('Whether the latest version was imported.'),
  imported_key: f.bool("The value of `imported` under the name that Vault's clients read."),
  imported_key_allow_rotation: f.bool('Whether this service may rotate the key although it was imported.').optional(),
  soft_deleted: f.bool('Whether the key is soft-deleted. A soft-deleted key cannot be used until it is restored.'),
  backup_info: f.json<BackupInfo>('The last backup: RFC 3339 time, and the latest version at that time.').optional(),
  restore_info: f
    .json<BackupInfo>('The restore that created this key: RFC 3339 time, and the latest version at that time.')
    .optional(),
  key_size: f.int('Key size in bytes, for hmac keys.').optional(),
  kdf: (f.text('The function that derives a key from a context.') as Builder<(typeof KDF_NAMES)[number]>).optional(),
  kdf_mode: (
    f.text('The value of `kdf` if it is hmac-sha256-counter; otherwise absent.') as Builder<(typeof KDF_NAMES)[0]>
  ).optional(),
  convergent_encryption: f
    .bool('Whether encrypting the same plaintext with the same context gives the same ciphertext.')
    .optional(),
  convergent_encryption_version: f
    .int('The version of convergent encryption; -1 if each key version has a convergent version of its own.')
    .optional(),
  encryptions: f
    .json<Readonly<Record<string, number>>>(
      'An upper bound of the number of encryptions in this cluster, by version; only for keys with random 96-bit nonces. A version refuses further encryptions after 2^32, counted over all clusters of a replication set.',
    )
    .optional(),
  keys: f.json<Readonly<Record<string, number | PublicVersion>>>(
    'The usable versions, by number. The value is the creation time in Unix seconds or, for asymmetric keys, an object with the public key.',
  ),
}

/** @param context For a derived signing key: the context whose public keys are shown. */
export function showKey(tx: Tx, ring: Ring, context: Uint8Array = EMPTY) {
  const type = keyType(ring.type)
  return {
    name: ring.name,
    type: ring.type,
    derived: ring.derived,
    deletion_allowed: ring.deletion_allowed,
    exportable: ring.exportable,
    allow_plaintext_backup: ring.allow_plaintext_backup,
    auto_rotate_period: ring.auto_rotate_period,
    min_available_version: ring.min_available_version,
    min_decryption_version: ring.min_decryption_version,
    min_encryption_version: ring.min_encryption_version,
    latest_version: ring.latest_version,
    supports_encryption: type.encryptor !== undefined,
    supports_decryption: type.encryptor !== undefined,
    supports_derivation: type.canDerive,
    supports_signing: type.signer !== undefined,
    imported: ring.imported,
    imported_key: ring.imported,
    ...(ring.imported ? { imported_key_allow_rotation: ring.allow_imported_key_rotation } : {}),
    soft_deleted: ring.soft_deleted,
    ...(ring.backup_info ? { backup_info: showBackupInfo(ring.backup_info) } : {}),
    ...(ring.restore_info ? { restore_info: showBackupInfo(ring.restore_info) } : {}),
    ...(ring.key_size > 0 ? { key_size: ring.key_size } : {}),
    ...showDerivation(ring),
    keys: showVersions(tx, ring, context),
  }
}

function showDerivation(ring: Ring) {
  if (!ring.derived) return {}
  return {
    kdf: KDF_NAMES[ring.kdf],
    ...(ring.kdf === 0 ? { kdf_mode: KDF_NAMES[0] } : {}),
    convergent_encryption: ring.convergent_encryption,
    ...(ring.convergent_encryption ? { convergent_encryption_version: ring.convergent_version } : {}),
  }
}

/** PEM blocks without a trailing newline; empty for an empty chain. */
export const showChain = (chain: readonly string[]): string =>
  chain
    .map((der) => encodePem('CERTIFICATE', texts.fromBase64(der)))
    .join('')
    .trimEnd()

function showVersions(tx: Tx, ring: Ring, context: Uint8Array): Readonly<Record<string, number | PublicVersion>> {
  const { displayName } = keyType(ring.type)
  const shown: Record<string, number | PublicVersion> = {}
  const publicKeys = ring.derived && context.length > 0 ? derivedPublicKeys(tx, ring, context) : undefined
  const chains = displayName === undefined ? undefined : shownChains(tx, ring)
  for (const [version, stored] of usableVersions(ring)) {
    if (displayName === undefined) {
      shown[version] = Math.floor(stored.created / 1000)
      continue
    }
    const public_key = ring.derived ? (publicKeys?.get(version) ?? '') : stored.public_key
    const certificate_chain = chains?.get(version) ?? ''
    shown[version] = { name: displayName, public_key, certificate_chain, creation_time: rfc3339(stored.created) }
  }
  return shown
}

function* usableVersions({ min_decryption_version, latest_version, versions }: Ring): Generator<[number, RingVersion]> {
  for (let version = min_decryption_version; version <= latest_version; version++) {
    const stored = versions[version]
    if (stored) yield [version, stored]
  }
}

/** The cost of deriving a key, in microseconds per byte of context. */
const CONTEXT_BYTE_COST = 0.02

/**
 * Returns the public keys that are derived from the context, as base64 by version; undefined for types that do not derive key pairs.
 * @throws KernelError 400 if the context is too long
 */
function derivedPublicKeys(tx: Tx, ring: Ring, context: Uint8Array): ReadonlyMap<number, string> | undefined {
  const { signer, costs } = keyType(ring.type)
  if (!signer?.derivedPublicKey) return undefined
  const keys = new RingKeys(tx, ring)
  const versions = [...usableVersions(ring)].map(([version]) => version)
  for (const version of versions.slice(0, 1)) keys.derivation(version, context)
  keys.load(versions)
  const derive = (version: number): string => {
    const derivation = keys.derivation(version, context)
    const derived = derivation && signer.derivedPublicKey?.(tx.env, keys.version(version), derivation)
    return encodeBase64(derived ?? EMPTY)
  }
  return tx.steps(
    'derived public keys',
    () => eachVersion(versions, derive, costs(tx.env).sign + context.length * CONTEXT_BYTE_COST),
    'attempt',
  )
}

/** The cost of encoding a certificate as PEM, in microseconds. */
const CERTIFICATE_COST = 25

/** Returns the certificate chains as PEM, by version. They depend only on stored certificates, so a rerun of a write can reuse them. */
function shownChains(tx: Tx, ring: Ring): ReadonlyMap<number, string> {
  const withChain = [...usableVersions(ring)].filter(([, { certificate_chain }]) => certificate_chain.length > 0)
  const certificates = withChain.reduce((sum, [, { certificate_chain }]) => sum + certificate_chain.length, 0)
  const show = (version: number): string => showChain(ring.versions[version]?.certificate_chain ?? [])
  if (certificates * CERTIFICATE_COST < PIECE_MICROSECONDS) return new Map(withChain.map(([version]) => [version, show(version)]))
  const versions = withChain.map(([version]) => version)
  const cost = (certificates / versions.length) * CERTIFICATE_COST
  return tx.steps('shown chains', () => eachVersion(versions, show, cost), 'attempt')
}

/** Calls `make` for each version, with pauses for the event loop. @param cost The cost of one version in microseconds. */
export function* eachVersion<T>(
  versions: readonly number[],
  make: (version: number) => T,
  cost: number,
): Steps<ReadonlyMap<number, T>> {
  const made = new Map<number, T>()
  const pace = new Pace()
  for (const version of versions) {
    made.set(version, make(version))
    if (pace.spend(cost)) yield
  }
  return made
}
