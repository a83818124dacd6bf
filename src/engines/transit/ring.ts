/**
 * A ring is the record of a named key: its settings and the descriptions of its versions, without key bytes. This file has the record and
 * the pure functions that change it.
 */
import { conflict, invalid, notFound } from '../../core/base/errors.ts'
import { produce } from '../../core/base/state.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { KeyTypeName } from './key-types/index.ts'

export interface RingVersion {
  /** The creation time of the version, in milliseconds since the Unix epoch. */
  readonly created: number
  /** The public key in the form that reading the key shows; empty for keys without a public key. */
  readonly public_key: string
  /** The version of convergent encryption; 0 if the key is not convergent. */
  readonly convergent_version: number
  /** Base64 of DER certificates, the end-entity certificate first; empty if no chain was set. */
  readonly certificate_chain: readonly string[]
  /** Whether the private half was imported after the public half. Its key record is then stored under {@link completedMaterialOwner}. */
  readonly completed: boolean
}

/** The time of a backup or restore, and the latest version at that time. */
export interface StoredBackupInfo {
  /** The time of the backup or restore, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly version: number
}

export interface Ring {
  /**
   * The random id under which the key records are stored. A new key with the name of a deleted key has another id, so it never finds the
   * old key bytes.
   */
  readonly id: string
  readonly name: string
  readonly type: KeyTypeName
  /** The key size in bytes; 0 if the type has a fixed size. */
  readonly key_size: number
  readonly derived: boolean
  /** The derivation function. 0: HMAC-SHA256 in counter mode (imported keys). 1: HKDF-SHA256. */
  readonly kdf: 0 | 1
  readonly convergent_encryption: boolean
  /** -1 for keys created here, because each version of such a key has a convergent version of its own. */
  readonly convergent_version: number
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  readonly deletion_allowed: boolean
  readonly min_available_version: number
  readonly min_decryption_version: number
  /** Versions below this one do not encrypt or sign; 0 means no limit. */
  readonly min_encryption_version: number
  readonly latest_version: number
  /** The time between automatic rotations in seconds; 0 means never. */
  readonly auto_rotate_period: number
  readonly imported: boolean
  readonly allow_imported_key_rotation: boolean
  /** Whether the key is soft-deleted: it cannot be used until it is restored, but its settings can be changed. */
  readonly soft_deleted: boolean
  /**
   * The beginning of ciphertexts and signatures, with `{{version}}` in it exactly once. If it is empty, the prefix of the service is used.
   */
  readonly version_template: string
  readonly backup_info: StoredBackupInfo | undefined
  readonly restore_info: StoredBackupInfo | undefined
  readonly versions: Readonly<Record<string, RingVersion>>
}

export const RING = /* @__PURE__ */ jsonRecord<Ring>({ folder: 'ring' })

/** The key bytes of one version, encoded by material.ts. */
export const MATERIAL = { class: 'r', folder: 'material', format: 1 } as const

/**
 * The id under which the key record of a completed version is stored. A version is completed if its private half was imported after its
 * public half. The import must not change the existing key record, because other processes may have it in their cache. The completed
 * version therefore gets a new record under this id.
 */
export const completedMaterialOwner = (ringId: string): string => `${ringId}/completed`

/** The id under which the key record of a version is stored. */
export const materialOwner = (ring: Ring, version: number): string =>
  ring.versions[version]?.completed ? completedMaterialOwner(ring.id) : ring.id

/** The numbers of the versions that may be used, in ascending order. */
export const usableVersionNumbers = ({ versions, min_decryption_version }: Ring): readonly number[] =>
  Object.keys(versions)
    .map(Number)
    .filter((version) => version >= min_decryption_version)

export const MIN_AUTO_ROTATE_SECONDS = 3600

export interface RingOptions {
  readonly id: string
  readonly name: string
  readonly type: KeyTypeName
  readonly key_size: number
  readonly derived: boolean
  readonly convergent_encryption: boolean
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  readonly auto_rotate_period: number
}

/** A ring without versions; {@link addKeyVersion} adds the first. */
export function emptyRing(options: RingOptions): Ring {
  return {
    ...options,
    kdf: options.derived ? 1 : 0,
    convergent_version: options.convergent_encryption ? -1 : 0,
    deletion_allowed: false,
    min_available_version: 0,
    min_decryption_version: 1,
    min_encryption_version: 0,
    latest_version: 0,
    imported: false,
    allow_imported_key_rotation: false,
    soft_deleted: false,
    version_template: '',
    backup_info: undefined,
    restore_info: undefined,
    versions: {},
  }
}

/** Adds a version. Rotating an imported key in this way ends its status as an imported key. */
export const addKeyVersion = (ring: Ring, now: number, publicKey: string, imported = false): Ring =>
  produce(ring, (draft) => {
    draft.latest_version += 1
    draft.imported = imported
    draft.versions[draft.latest_version] = {
      created: now,
      public_key: publicKey,
      convergent_version: ring.convergent_encryption && (ring.convergent_version === -1 || ring.convergent_version > 1) ? 3 : 0,
      certificate_chain: [],
      completed: false,
    }
  })

/** Records that the private half of a public-only version was imported. */
export const completeVersion = (ring: Ring, version: number): Ring =>
  produce(ring, (draft) => {
    ;(draft.versions[version] as { completed: boolean }).completed = true
  })

/** @param chain The certificates as base64 of DER. */
export const withChain = (ring: Ring, version: number, chain: readonly string[]): Ring =>
  produce(ring, (draft) => {
    ;(draft.versions[version] as { certificate_chain: readonly string[] }).certificate_chain = chain
  })

/** Removes the versions below `least` permanently. The checks run in Vault's order. @throws KernelError 400 naming the rule */
export function trimRing(ring: Ring, least: number): Ring {
  const { min_available_version: now, min_encryption_version: encryption, min_decryption_version: decryption } = ring
  const name = 'min_available_version'
  if (least < now) throw invalid(`${name}: must not be below its current value, ${now}`)
  if (encryption === 0) throw invalid(`${name}: min_encryption_version must be set on this key before it can be trimmed`)
  if (least > encryption) throw invalid(`${name}: must not be above min_encryption_version, which is ${encryption}`)
  if (least > decryption) throw invalid(`${name}: must not be above min_decryption_version, which is ${decryption}`)
  if (least <= 0) throw invalid(`${name}: must be at least 1`)
  const left = Object.entries(ring.versions).filter(([version]) => Number(version) >= least)
  return { ...ring, min_available_version: least, versions: Object.fromEntries(left) }
}

export interface RingConfig {
  readonly min_decryption_version: number | undefined
  readonly min_encryption_version: number | undefined
  readonly deletion_allowed: boolean | undefined
  readonly exportable: boolean | undefined
  readonly allow_plaintext_backup: boolean | undefined
  /** The time between automatic rotations in seconds. */
  readonly auto_rotate_period: number | undefined
}

/**
 * Applies all changes of a configuration, or none if one of them is refused.
 * @returns The same object if nothing changed.
 * @throws KernelError 400 naming the parameter and the rule
 */
export function configureRing(ring: Ring, config: RingConfig): Ring {
  const next: Ring = {
    ...ring,
    min_decryption_version: newMinimum('min_decryption_version', ring, config.min_decryption_version) || 1,
    min_encryption_version: newMinimum('min_encryption_version', ring, config.min_encryption_version),
    deletion_allowed: config.deletion_allowed ?? ring.deletion_allowed,
    exportable: ring.exportable || config.exportable === true,
    allow_plaintext_backup: ring.allow_plaintext_backup || config.allow_plaintext_backup === true,
    auto_rotate_period: config.auto_rotate_period ?? ring.auto_rotate_period,
  }
  checkAutoRotate(next.auto_rotate_period)
  const { min_encryption_version: encryption, min_decryption_version: decryption, min_available_version: available } = next
  if (encryption > 0 && encryption < decryption) {
    throw invalid(`min_encryption_version: ${encryption} must be 0 or at least min_decryption_version, which is ${decryption}`)
  }
  if (!(Object.keys(next) as (keyof Ring)[]).some((name) => next[name] !== ring[name])) return ring
  if (available > encryption || available > decryption) {
    throw invalid(
      `min_encryption_version and min_decryption_version: must be at least min_available_version, which is ${available}`,
    )
  }
  // A restored key may lack some of its old versions.
  if (!next.versions[decryption]) throw notFound(`min_decryption_version: this key has no version ${decryption}`, 400)
  return next
}

/** @throws KernelError 400 for a soft-deleted key */
export function checkUse(ring: Ring): void {
  if (ring.soft_deleted) throw conflict('name: this key is soft-deleted; restore it before using it')
}

/** Returns the new value of a setting. As in Vault, the upper limit is checked only if the value changes. */
function newMinimum(name: 'min_decryption_version' | 'min_encryption_version', ring: Ring, wanted: number | undefined): number {
  if (wanted === undefined || wanted === ring[name]) return ring[name]
  if (wanted < 0) throw invalid(`${name}: must not be negative`)
  if (wanted > ring.latest_version)
    throw invalid(`${name}: ${wanted} is above the latest version, which is ${ring.latest_version}`)
  return wanted
}

/** @throws KernelError 400 if the period is too short */
export function checkAutoRotate(seconds: number): void {
  if (seconds !== 0 && seconds < MIN_AUTO_ROTATE_SECONDS) {
    throw invalid(`auto_rotate_period: must be 0 or at least one hour (${MIN_AUTO_ROTATE_SECONDS} seconds)`)
  }
}

/**
 * The time of the next automatic rotation in milliseconds; undefined if the key is not rotated automatically. Imported keys need
 * `allow_imported_key_rotation`.
 */
export function rotationDue(ring: Ring): number | undefined {
  if (ring.auto_rotate_period === 0 || (ring.imported && !ring.allow_imported_key_rotation)) return undefined
  const latest = ring.versions[ring.latest_version]
  return latest && latest.created + ring.auto_rotate_period * 1000
}
