/**
 * A key ring: everything about a named key but its bytes. Pure state and its transitions.
 */
import { conflict, invalid, notFound } from '../../core/base/errors.ts'
import { produce } from '../../core/base/state.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { KeyTypeName } from './key-types/index.ts'

export interface RingVersion {
  /** Milliseconds. */
  readonly created: number
  /** In the form of a key read; empty for keys without one. */
  readonly public_key: string
  /** The rule for convergent ciphertexts of this version; 0 where the ring is not convergent. */
  readonly convergent_version: number
  /** Base64 of DER, the end-entity certificate first; empty where none was set. */
  readonly certificate_chain: readonly string[]
  /** The private half was imported later than the public one, and has its own address. */
  readonly completed: boolean
}

/** The time of an action on the whole ring, and the latest version at that time. */
export interface StoredBackupInfo {
  /** Milliseconds. */
  readonly time: number
  readonly version: number
}

export interface Ring {
  /** Addresses the versions' key records, so that a key made anew under the same name never finds old bytes. */
  readonly id: string
  readonly name: string
  readonly type: KeyTypeName
  /** Bytes; 0 where the type fixes the size. */
  readonly key_size: number
  readonly derived: boolean
  /** 0 counter mode (imported rings), 1 HKDF-SHA256. */
  readonly kdf: 0 | 1
  readonly convergent_encryption: boolean
  /** -1 for rings made here, whose versions each have their own. */
  readonly convergent_version: number
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  readonly deletion_allowed: boolean
  readonly min_available_version: number
  readonly min_decryption_version: number
  /** 0: no lower bound. */
  readonly min_encryption_version: number
  readonly latest_version: number
  /** Seconds; 0 is never. */
  readonly auto_rotate_period: number
  readonly imported: boolean
  readonly allow_imported_key_rotation: boolean
  /** No use until it is restored; settings can still be changed. */
  readonly soft_deleted: boolean
  /** The beginning of ciphertexts and signatures, with `{{version}}` once in it; empty for the service's own prefix. */
  readonly version_template: string
  readonly backup_info: StoredBackupInfo | undefined
  readonly restore_info: StoredBackupInfo | undefined
  readonly versions: Readonly<Record<string, RingVersion>>
}

export const RING = /* @__PURE__ */ jsonRecord<Ring>({ folder: 'ring', format: 2, migrate: fromFormat1 })

/** Releases before 0.2 had no soft deletion, no certificates and no imported keys. */
function fromFormat1(old: unknown): Ring {
  const ring = old as Ring
  const versions = Object.entries(ring.versions).map(([version, entry]) => [
    version,
    { ...entry, certificate_chain: [], completed: false },
  ])
  return { ...ring, soft_deleted: false, version_template: '', versions: Object.fromEntries(versions) }
}

/** The key bytes of one version, in the form that material.ts defines. */
export const MATERIAL = { class: 'r', folder: 'material', format: 1 } as const

/** The owner of the key records of completed versions. Records never change, so no cache of them is ever stale. */
export const completedMaterialOwner = (ringId: string): string => `${ringId}/completed`

/** The owner of a version's key record. */
export const materialOwner = (ring: Ring, version: number): string =>
  ring.versions[version]?.completed ? completedMaterialOwner(ring.id) : ring.id

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

/** A ring without versions; {@link addVersion} adds the first. */
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

/** Adds a version: the first one, or by rotation. An imported ring that is rotated here no longer counts as imported. */
export const addVersion = (ring: Ring, now: number, publicKey: string, imported = false): Ring =>
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

/** Adds the private half to a version that had only a public key. */
export const completeVersion = (ring: Ring, version: number): Ring =>
  produce(ring, (draft) => {
    ;(draft.versions[version] as { completed: boolean }).completed = true
  })

/** @param chain Base64 of DER. */
export const withChain = (ring: Ring, version: number, chain: readonly string[]): Ring =>
  produce(ring, (draft) => {
    ;(draft.versions[version] as { certificate_chain: readonly string[] }).certificate_chain = chain
  })

/** Removes the versions below `least` for good. @throws KernelError 400 naming the rule; the order of checks is the originals'. */
export function trim(ring: Ring, least: number): Ring {
  const { min_available_version: now, min_encryption_version: encryption, min_decryption_version: decryption } = ring
  const name = 'min_available_version'
  if (least < now) throw invalid(`${name}: must not be below what it is now, ${now}`)
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
  /** Seconds. */
  readonly auto_rotate_period: number | undefined
}

/**
 * Applies a configuration; all of it or nothing.
 * @returns The same object when nothing changed.
 * @throws KernelError 400 naming the parameter and the rule.
 */
export function configure(ring: Ring, config: RingConfig): Ring {
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
  // A restored ring may lack versions that were not in use.
  if (!next.versions[decryption]) throw notFound(`min_decryption_version: version ${decryption} of this key is not there`, 400)
  return next
}

/** @throws KernelError 400 for a soft-deleted ring. */
export function checkUse(ring: Ring): void {
  if (ring.soft_deleted) throw conflict('name: this key is soft-deleted; restore it before it is used')
}

/** The upper bound is checked only when the value changes, as in the originals. */
function newMinimum(name: 'min_decryption_version' | 'min_encryption_version', ring: Ring, wanted: number | undefined): number {
  if (wanted === undefined || wanted === ring[name]) return ring[name]
  if (wanted < 0) throw invalid(`${name}: must not be negative`)
  if (wanted > ring.latest_version)
    throw invalid(`${name}: ${wanted} is above the latest version, which is ${ring.latest_version}`)
  return wanted
}

/** @throws KernelError 400 */
export function checkAutoRotate(seconds: number): void {
  if (seconds !== 0 && seconds < MIN_AUTO_ROTATE_SECONDS) {
    throw invalid(`auto_rotate_period: must be 0 or at least one hour (${MIN_AUTO_ROTATE_SECONDS} seconds)`)
  }
}

/**
 * The time of the next automatic rotation in milliseconds; undefined when there is none. Imported rings need
 * `allow_imported_key_rotation`.
 */
export function rotationDue(ring: Ring): number | undefined {
  if (ring.auto_rotate_period === 0 || (ring.imported && !ring.allow_imported_key_rotation)) return undefined
  const latest = ring.versions[ring.latest_version]
  return latest && latest.created + ring.auto_rotate_period * 1000
}
