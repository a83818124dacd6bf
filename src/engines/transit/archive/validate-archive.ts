/** Validates a decoded backup and converts it to a transit key. Nothing in a backup is trusted. */

import { decodeBase64 } from '../../../core/base/base64.ts'
import { EMPTY } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { deepFreeze } from '../../../core/base/state.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { readCertificate } from '../../../core/crypto/asn1/certificates.ts'
import { sameElement } from '../../../core/crypto/asn1/envelopes.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import { checkFips, type KeyTypeName, keyType, transferMicroseconds, typesOfNumber } from '../key-types/index.ts'
import { BACKUP_PARAMETER, type IncomingKey } from '../key-types/key-codec.ts'
import { assertLoaded } from '../key-types/key-type.ts'
import { encodeMaterial } from '../material.ts'
import { MIN_AUTO_ROTATE_SECONDS, type Ring, type RingVersion } from '../ring.ts'
import { checkTemplate, serviceForm, templateOf } from '../text.ts'
import type { Archive, ArchivedVersion } from './read-archive.ts'

export interface ValidatedArchive {
  /** The key's settings and versions, without the members that the restore operation sets. */
  readonly ring: Omit<Ring, 'id' | 'name' | 'restore_info'>
  /** The key records by version. The caller wipes them after storing them. */
  readonly materials: ReadonlyMap<number, Uint8Array>
  /** Explains what was changed in the backup so that it could be restored. */
  readonly warnings: readonly string[]
}

/** The number of versions is limited because one record describes all versions and is always read and written as a whole. */
const MAX_VERSIONS = 9000

/** Estimated cost of decoding one version. */
const VERSION_DECODE_MICROSECONDS = 25

const MAC_KEY_BYTES = 32

const MAX_MAC_KEY_BYTES = 512

const LATEST_CONVERGENT_VERSION = 3

const refuse = (rule: string): Error => invalid(`${BACKUP_PARAMETER}: ${rule}`)

/** @param now Milliseconds: the creation time of versions whose time is not in the backup. @throws KernelError 400 */
export function* validateArchive(archive: Archive, env: Environment, now: number): Steps<ValidatedArchive> {
  checkNumbers(archive)
  const pace = new Pace()
  const found = yield* versionsOf(archive, pace)
  const type = typeOf(archive, found)
  checkFips(env, type)
  assertLoaded(keyType(type))
  const derivation = derivationOf(archive, type)
  const versions: Record<string, RingVersion> = {}
  const materials = new Map<number, Uint8Array>()
  let key_size = 0
  try {
    for (const [version, entry] of found) {
      const made = validateVersion(env, type, entry, derivation)
      materials.set(version, made.material)
      if (keyType(type).macOnly) key_size = made.keyBytes
      // Freeze each version here; otherwise storing the key would freeze all of them in one step.
      versions[version] = deepFreeze({
        created: entry.created ?? now,
        public_key: made.publicKey,
        convergent_version: derivation.convergent_encryption ? entry.convergent_version : 0,
        certificate_chain: entry.certificate_chain,
        completed: false,
      })
      if (pace.spend(transferMicroseconds(env, type))) yield
    }
  } catch (error) {
    for (const material of materials.values()) material.fill(0)
    throw error
  }
  const period = periodOf(archive)
  const ring = {
    type,
    key_size,
    ...derivation,
    exportable: archive.exportable,
    allow_plaintext_backup: archive.allow_plaintext_backup,
    deletion_allowed: archive.deletion_allowed,
    min_available_version: archive.min_available_version,
    min_decryption_version: archive.min_decryption_version,
    min_encryption_version: archive.min_encryption_version,
    latest_version: archive.latest_version,
    auto_rotate_period: period.seconds,
    imported: archive.imported,
    allow_imported_key_rotation: archive.allow_imported_key_rotation,
    soft_deleted: archive.soft_deleted,
    version_template: templateIn(archive, env),
    backup_info: archive.backup_info,
    versions,
  }
  return { ring, materials, warnings: period.warnings }
}

function checkNumbers({
  min_available_version: available,
  min_decryption_version: decryption,
  min_encryption_version: encryption,
  latest_version: latest,
  archive_version: archived,
}: Archive): void {
  if (latest < 1) throw refuse('latest_version must be at least 1')
  if (decryption < 1 || decryption > latest) throw refuse('min_decryption_version must be 1 to latest_version')
  if (encryption < 0 || encryption > latest) throw refuse('min_encryption_version must be 0 to latest_version')
  if (encryption > 0 && encryption < decryption)
    throw refuse('min_encryption_version must be 0 or at least min_decryption_version')
  if (available < 0 || available > decryption) throw refuse('min_available_version must be 0 to min_decryption_version')
  if (archived > latest) throw refuse('archive_version must not be above latest_version')
}

/**
 * Returns the versions in ascending order. All usable versions must be in the backup. Older versions may be missing; the restored key then
 * lacks them.
 */
function* versionsOf(archive: Archive, pace: Pace): Steps<ReadonlyMap<number, ArchivedVersion>> {
  const { min_available_version, min_decryption_version, latest_version, entries } = archive
  if (latest_version - min_decryption_version >= entries)
    throw refuse('must have a version for every number from min_decryption_version to latest_version')
  // Missing versions count too, because later operations iterate over the whole range.
  if (latest_version - Math.max(1, min_available_version) >= MAX_VERSIONS)
    throw refuse(`must have at most ${MAX_VERSIONS} versions`)
  const least = Math.max(1, min_available_version, latest_version - entries)
  const found = new Map<number, ArchivedVersion>()
  for (let version = least; version <= latest_version; version++) {
    const entry = archive.version(version)
    if (entry) found.set(version, entry)
    else if (version >= min_decryption_version) throw refuse(`version ${version} is missing`)
    if (pace.spend(VERSION_DECODE_MICROSECONDS)) yield
  }
  return found
}

/** Finds the key type by its number in the backup. Vault and OpenBao give some numbers to different types. */
function typeOf({ type, key_size }: Archive, found: ReadonlyMap<number, ArchivedVersion>): KeyTypeName {
  const entries = [...found.values()]
  if (entries.some(({ isManaged }) => isManaged)) throw refuse('cannot restore a key that an HSM or a KMS keeps')
  const names = typesOfNumber(type)
  if (names.length === 0) throw refuse(`has the unknown key type number ${type}`)
  if (names.length === 1) return names[0] as KeyTypeName
  const ownMac = entries.every(({ key, hmac_key }) => key && hmac_key && equalBytes(key, hmac_key))
  const macOnly = key_size > 0 || ownMac
  return names.find((name) => keyType(name).macOnly === macOnly) ?? (names[0] as KeyTypeName)
}

type DerivationSettings = Pick<Ring, 'derived' | 'kdf' | 'convergent_encryption' | 'convergent_version'>

function derivationOf(archive: Archive, name: KeyTypeName): DerivationSettings {
  const { derived, convergent_encryption } = archive
  const { canDerive, canConverge, codec } = keyType(name)
  if (derived && !canDerive) throw refuse(`keys of type ${name} cannot be derived`)
  if (convergent_encryption && !(derived && canConverge)) throw refuse('convergent_encryption needs a derived symmetric key')
  if (archive.kdf !== 0 && archive.kdf !== 1) throw refuse('kdf must be 0 or 1')
  const kdf = derived && !(archive.kdf === 0 && codec.counterMode) ? 1 : 0
  if (!convergent_encryption) return { derived, kdf, convergent_encryption, convergent_version: 0 }
  // Keys from before the introduction of convergent versions use version 1.
  const convergent_version = archive.convergent_version || 1
  if (convergent_version < -1 || convergent_version > LATEST_CONVERGENT_VERSION)
    throw refuse('convergent_version must be -1 to 3')
  return { derived, kdf, convergent_encryption, convergent_version }
}

interface ValidatedVersion {
  readonly material: Uint8Array
  readonly keyBytes: number
  readonly publicKey: string
}

function validateVersion(
  env: Environment,
  name: KeyTypeName,
  entry: ArchivedVersion,
  ring: DerivationSettings,
): ValidatedVersion {
  const type = keyType(name)
  checkConvergent(entry, ring)
  const incoming = type.codec.fromArchive(env.crypto, entry)
  const { key, publicKey, publicOnly } = incoming
  const macKey = macKeyOf(env, type.macOnly, entry, key)
  const material = encodeMaterial(macKey, type.macOnly ? EMPTY : key, publicOnly)
  const keyBytes = key.length
  for (const bytes of [key, macKey, entry.key, entry.hmac_key]) bytes?.fill(0)
  if (publicOnly && ring.derived) throw refuse('a derived key must have its private half')
  checkChainOf(name, entry, incoming, ring.derived)
  return { material, keyBytes, publicKey }
}

function checkConvergent({ convergent_version: own }: ArchivedVersion, ring: DerivationSettings): void {
  if (!ring.convergent_encryption) return
  const effective = own || ring.convergent_version
  if (effective < 1 || effective > LATEST_CONVERGENT_VERSION) throw refuse('a version has no convergent_version')
  if (effective === LATEST_CONVERGENT_VERSION && ring.kdf === 0) throw refuse('convergent encryption of version 3 needs kdf 1')
}

/** Returns the HMAC key, which the caller owns. A version from before the introduction of HMAC keys gets a new one. */
function macKeyOf(env: Environment, macOnly: boolean, { hmac_key }: ArchivedVersion, key: Uint8Array): Uint8Array {
  if (!hmac_key) return macOnly ? key.slice() : env.entropy.bytes(MAC_KEY_BYTES)
  if (macOnly && !equalBytes(hmac_key, key)) throw refuse('the HMAC key of a key of type hmac must equal the key')
  if (hmac_key.length > MAX_MAC_KEY_BYTES) throw refuse(`an HMAC key must have at most ${MAX_MAC_KEY_BYTES} bytes`)
  return hmac_key.slice()
}

/** The certificates must parse, and the first one must be for this key. As in set-certificate, subjects are not checked. */
function checkChainOf(
  name: KeyTypeName,
  { certificate_chain: chain }: ArchivedVersion,
  incoming: IncomingKey,
  derived: boolean,
): void {
  if (chain.length === 0) return
  const { publicKey: publicKeyCodec } = keyType(name).codec
  if (!publicKeyCodec || derived) throw refuse(`keys of type ${name} cannot have certificates`)
  const [leaf] = chain.map((text) =>
    readCertificate(decodeBase64(text, `${BACKUP_PARAMETER}: certificate_chain`), BACKUP_PARAMETER),
  )
  const spki = decodeBase64(publicKeyCodec.toText(incoming.publicKey, 'der'), BACKUP_PARAMETER)
  if (leaf && !sameElement(leaf.spki, spki))
    throw refuse('the first certificate of a version must be for the key of that version')
}

/** Returns the template in the backup, or an empty string if the template equals the default of this service. The default is not stored. */
function templateIn({ version_template }: Archive, env: Environment): string {
  if (version_template === '' || version_template === templateOf(serviceForm(env.ciphertextPrefix))) return ''
  if (version_template.length > MAX_TEMPLATE_CHARACTERS)
    throw refuse(`version_template must have at most ${MAX_TEMPLATE_CHARACTERS} characters`)
  checkTemplate(version_template)
  return version_template
}

const MAX_TEMPLATE_CHARACTERS = 256

const NANOSECONDS = 1_000_000_000n

/** A thousand years; a longer period is a mistake. */
const MAX_AUTO_ROTATE_SECONDS = 31_536_000_000n

/** Returns the rotation period. Vault and OpenBao restore any period; here a period below one hour, other than 0, becomes one hour. */
function periodOf({ auto_rotate_period }: Archive): { readonly seconds: number; readonly warnings: readonly string[] } {
  const seconds = auto_rotate_period / NANOSECONDS
  if (auto_rotate_period < 0n || seconds > MAX_AUTO_ROTATE_SECONDS)
    throw refuse('auto_rotate_period must be 0 to a thousand years')
  if (auto_rotate_period === 0n || seconds >= BigInt(MIN_AUTO_ROTATE_SECONDS)) return { seconds: Number(seconds), warnings: [] }
  const warning = 'auto_rotate_period: was less than one hour in the backup and was set to one hour'
  return { seconds: MIN_AUTO_ROTATE_SECONDS, warnings: [warning] }
}
