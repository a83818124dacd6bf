/** Decodes a backup that Vault, OpenBao or strongroom made. Nothing is validated yet: validate-archive.ts does that. */
import { decodeBase64, decodeBase64Steps, LONG_BASE64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { ArchivedKey, ArchivedRsaKey } from '../key-types/key-codec.ts'
import type { StoredBackupInfo } from '../ring.ts'
import { ArchiveMembers, wrongMember } from './archive-members.ts'
import { bigOf, parseBigJson } from './big-json.ts'

export interface ArchivedVersion extends ArchivedKey {
  /** Absent in backups from before the introduction of HMAC keys, and in backups written by hand. */
  readonly hmac_key: Uint8Array | undefined
  /** The creation time in milliseconds since the Unix epoch; undefined if the backup has no time. */
  readonly created: number | undefined
  readonly convergent_version: number
  /** The certificates, each as base64 of DER. */
  readonly certificate_chain: readonly string[]
  /** The version only refers to a key in an HSM or a KMS. */
  readonly isManaged: boolean
}

/** The settings of the backed-up key, under their names in the backup. */
export interface Archive {
  readonly name: string
  readonly type: number
  readonly key_size: number
  readonly derived: boolean
  readonly kdf: number
  readonly convergent_encryption: boolean
  readonly convergent_version: number
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  readonly deletion_allowed: boolean
  readonly min_available_version: number
  readonly min_decryption_version: number
  readonly min_encryption_version: number
  readonly latest_version: number
  readonly archive_version: number
  /** The time between automatic rotations, in nanoseconds. */
  readonly auto_rotate_period: bigint
  readonly imported: boolean
  readonly allow_imported_key_rotation: boolean
  readonly soft_deleted: boolean
  readonly version_template: string
  readonly backup_info: StoredBackupInfo | undefined
  /** An upper bound of the number of versions. */
  readonly entries: number
  /** Decodes the version with this number from `keys`, or else from `archived_keys`. Returns undefined if neither list contains its key. */
  readonly version: (version: number) => ArchivedVersion | undefined
}

/** @throws KernelError 400 if the backup is malformed */
export function* readArchive(backup: string): Steps<Archive> {
  const text = backup.length > LONG_BASE64 ? yield* decodeBase64Steps(backup, 'backup') : decodeBase64(backup, 'backup')
  try {
    return archiveOf(new ArchiveMembers(yield* parseBigJson(text, 'backup'), 'it'))
  } finally {
    text.fill(0)
  }
}

function archiveOf(whole: ArchiveMembers): Archive {
  const policy = whole.object('policy')
  if (!policy) throw invalid('backup: must contain a policy')
  const keys = policy.object('keys')
  const archived = whole.object('archived_keys')?.list('keys') ?? []
  const min_available_version = policy.int('min_available_version')
  const names = Object.keys((policy.raw('keys') as object | undefined) ?? {})
  const latest_version = policy.int('latest_version')
  for (const name of names) checkNumber(name, latest_version)
  return {
    name: policy.text('name'),
    type: policy.int('type'),
    key_size: policy.int('key_size'),
    derived: policy.flag('derived'),
    kdf: policy.int('kdf'),
    convergent_encryption: policy.flag('convergent_encryption'),
    convergent_version: policy.int('convergent_version'),
    exportable: policy.flag('exportable'),
    allow_plaintext_backup: policy.flag('allow_plaintext_backup'),
    deletion_allowed: policy.flag('deletion_allowed'),
    min_available_version,
    min_decryption_version: policy.int('min_decryption_version'),
    min_encryption_version: policy.int('min_encryption_version'),
    latest_version,
    archive_version: policy.int('archive_version'),
    auto_rotate_period: policy.big('auto_rotate_period') ?? 0n,
    imported: policy.flag('Imported'),
    allow_imported_key_rotation: policy.flag('AllowImportedKeyRotation'),
    soft_deleted: policy.flag('soft_deleted'),
    version_template: policy.text('version_template'),
    backup_info: stampOf(policy.object('backup_info')),
    entries: names.length + archived.length,
    version: (version) => {
      const name = String(version)
      if (keys?.has(name)) return versionOf(keys.object(name) as ArchiveMembers)
      const entry = archived[version - min_available_version]
      return entry === undefined || entry === null ? undefined : versionOf(new ArchiveMembers(entry, 'an archived version'))
    },
  }
}

/** Checks a member name of `keys`, which must be the number of a version. @throws KernelError 400 */
function checkNumber(name: string, latest: number): void {
  if (!/^\d{1,15}$/.test(name)) throw invalid('backup: the member names of policy.keys must be version numbers')
  if (Number(name) > latest) throw invalid(`backup: must not have a version above latest_version, which is ${latest}`)
}

function stampOf(stamp: ArchiveMembers | undefined): StoredBackupInfo | undefined {
  const time = stamp?.time('time')
  return stamp && time !== undefined ? { time, version: stamp.int('version') } : undefined
}

function versionOf(entry: ArchiveMembers): ArchivedVersion | undefined {
  const version = {
    key: entry.bytes('key'),
    hmac_key: entry.bytes('hmac_key'),
    created: entry.time('time') ?? secondsOf(entry),
    ec_x: entry.natural('ec_x'),
    ec_y: entry.natural('ec_y'),
    ec_d: entry.natural('ec_d'),
    rsa_key: rsaKeyOf(entry.object('rsa_key')),
    rsa_public_key: rsaPublicOf(entry.object('rsa_public_key')),
    public_key: entry.text('public_key'),
    convergent_version: entry.int('convergent_version'),
    certificate_chain: chainOf(entry.list('certificate_chain') ?? []),
    isManaged: entry.text('managed_key_id') !== '' || entry.text('external_key_ref') !== '',
  }
  const { key, hmac_key, ec_x, rsa_key, rsa_public_key, public_key, isManaged } = version
  // Vault and OpenBao write an entry with empty members for a missing version.
  const blank =
    [key, hmac_key, ec_x, rsa_key, rsa_public_key].every((part) => part === undefined) && public_key === '' && !isManaged
  return blank ? undefined : version
}

/** The last second of the year 9999: later times have no RFC 3339 form. */
const LATEST_SECOND = 253_402_300_799

function secondsOf(entry: ArchiveMembers): number | undefined {
  const seconds = entry.int('creation_time')
  if (seconds < 0 || seconds > LATEST_SECOND) throw wrongMember('creation_time', 'seconds since 1970')
  return seconds === 0 ? undefined : seconds * 1000
}

function rsaKeyOf(key: ArchiveMembers | undefined): ArchivedRsaKey | undefined {
  if (!key) return undefined
  const parts = key.object('Precomputed')
  return {
    ...rsaPublic(key),
    D: requiredNumber(key, 'D'),
    Primes: (key.list('Primes') ?? []).slice(0, 3).map((prime) => {
      const number = bigOf(prime)
      if (number === undefined || number < 0n) throw wrongMember('Primes', 'a list of positive numbers')
      return number
    }),
    Precomputed: parts && { Dp: parts.natural('Dp') ?? 0n, Dq: parts.natural('Dq') ?? 0n, Qinv: parts.natural('Qinv') ?? 0n },
  }
}

const rsaPublicOf = (key: ArchiveMembers | undefined) => key && rsaPublic(key)

const rsaPublic = (key: ArchiveMembers) => ({ N: requiredNumber(key, 'N'), E: requiredNumber(key, 'E') })

function requiredNumber(key: ArchiveMembers, name: string): bigint {
  const value = key.natural(name)
  if (value === undefined) throw wrongMember(`${name} of an RSA key`, 'a number')
  return value
}

/** Far more certificates than any chain has. */
const MAX_CHAIN_CERTIFICATES = 64

function chainOf(list: readonly unknown[]): readonly string[] {
  if (list.length > MAX_CHAIN_CERTIFICATES)
    throw wrongMember('certificate_chain', `at most ${MAX_CHAIN_CERTIFICATES} certificates`)
  return list.map((item) => {
    if (typeof item !== 'string') throw wrongMember('certificate_chain', 'a list of strings')
    return item
  })
}
