/**
 * A key ring as a backup of either original, so that users can leave (source: behaviour of the originals).
 * Room: engines/transit/archive. Imported by backup.
 */
import { encodeBase64 } from '../../../core/base64.ts'
import { toUtf8 } from '../../../core/bytes.ts'
import { rfc3339 } from '../../../core/clock.ts'
import { invalid } from '../../../core/errors.ts'
import type { ArchivedKey } from '../key-types/transport.ts'
import type { VersionKey } from '../material.ts'
import type { Ring, RingStamp, RingVersion } from '../ring.ts'
import type { RingKeys } from '../ring-keys.ts'
import { templateOf } from '../text.ts'
import { type BigJson, printBigJson } from './big-json.ts'

export const ARCHIVE_FORMS = ['openbao', 'vault'] as const
export type ArchiveForm = (typeof ARCHIVE_FORMS)[number]

/** What both originals have in front of ciphertexts when a ring has no template. */
const THEIR_PREFIX = 'vault'
const NANOSECONDS = 1_000_000_000n

type Entry = { readonly [name: string]: BigJson }

/** Base64 of JSON and a newline. @throws KernelError 400 when that original has no such key type */
export function writeArchive(keys: RingKeys, form: ArchiveForm): string {
  const { ring, type } = keys
  const number = type.transport.numbers[form]
  if (number === undefined) throw invalid(`form: ${form} has no key type ${ring.type}`)
  // All keys are asked for before any is written: what is not loaded ends the run.
  const stored = Object.entries(ring.versions).map(
    ([name, version]) => [Number(name), version, keys.version(Number(name))] as const,
  )
  const entries = new Map(stored.map(([name, version, key]) => [name, entryOf(keys, version, key)]))
  const working: Record<string, BigJson> = {}
  const archived: BigJson[] = []
  for (let version = ring.min_available_version; version <= ring.latest_version; version++) {
    const entry = entries.get(version) ?? BLANK
    archived.push(entry)
    if (version >= ring.min_decryption_version) working[version] = entry
  }
  const policy = policyOf(keys, form, number, working)
  const text = toUtf8(`${printBigJson({ policy, archived_keys: { keys: archived } })}\n`)
  const backup = encodeBase64(text)
  text.fill(0)
  for (const entry of entries.values()) for (const part of Object.values(entry)) if (part instanceof Uint8Array) part.fill(0)
  return backup
}

/** The members in the originals' order. */
function policyOf({ ring, env, form: text }: RingKeys, form: ArchiveForm, type: number, keys: BigJson): BigJson {
  const ownForm = ring.version_template !== '' || env.ciphertextPrefix !== THEIR_PREFIX
  return {
    name: ring.name,
    key_size: ring.key_size === 0 ? undefined : ring.key_size,
    keys,
    derived: ring.derived,
    kdf: ring.kdf,
    convergent_encryption: ring.convergent_encryption,
    exportable: ring.exportable,
    min_decryption_version: ring.min_decryption_version,
    min_encryption_version: ring.min_encryption_version,
    latest_version: ring.latest_version,
    archive_version: ring.latest_version,
    archive_min_version: ring.min_available_version,
    min_available_version: ring.min_available_version,
    deletion_allowed: ring.deletion_allowed,
    convergent_version: ring.convergent_version,
    type,
    backup_info: stampOf(ring.backup_info),
    restore_info: stampOf(ring.restore_info),
    allow_plaintext_backup: ring.allow_plaintext_backup,
    version_template: ownForm ? templateOf(text) : '',
    storage_prefix: '',
    auto_rotate_period: BigInt(ring.auto_rotate_period) * NANOSECONDS,
    Imported: ring.imported,
    AllowImportedKeyRotation: ring.allow_imported_key_rotation,
    soft_deleted: form === 'openbao' ? ring.soft_deleted : undefined,
  }
}

const stampOf = (stamp: RingStamp | undefined): BigJson => (stamp ? { time: rfc3339(stamp.time), version: stamp.version } : null)

function entryOf({ type, env }: RingKeys, version: RingVersion, stored: VersionKey): Entry {
  const members = (macKey: Uint8Array, key: Uint8Array): Entry => {
    const own = type.macOnly ? macKey : key
    const archived = type.transport.toArchive(env.crypto, own, stored.publicOnly, version.public_key)
    return entry(version, archived, macKey.slice())
  }
  return stored.lendAll(members)
}

function entry({ created, convergent_version, certificate_chain }: RingVersion, key: ArchivedKey, hmac_key: Uint8Array): Entry {
  const { rsa_key, rsa_public_key } = key
  return {
    key: key.key ?? null,
    hmac_key,
    time: rfc3339(created),
    ec_x: key.ec_x ?? null,
    ec_y: key.ec_y ?? null,
    ec_d: key.ec_d ?? null,
    rsa_key: rsa_key ? { ...rsa_key, Precomputed: { ...rsa_key.Precomputed, CRTValues: [] } } : null,
    rsa_public_key: rsa_public_key ? { ...rsa_public_key } : null,
    public_key: key.public_key,
    convergent_version,
    creation_time: Math.floor(created / 1000),
    certificate_chain: certificate_chain.length > 0 ? certificate_chain : null,
  }
}

/** What stands where there is no version. */
const BLANK: Entry = {
  key: null,
  hmac_key: null,
  time: '0001-01-01T00:00:00Z',
  ec_x: null,
  ec_y: null,
  ec_d: null,
  rsa_key: null,
  rsa_public_key: null,
  public_key: '',
  convergent_version: 0,
  creation_time: 0,
  certificate_chain: null,
}

/** The ring as it is when a backup has been taken of it. */
export const stamped = (ring: Ring, now: number): Ring => ({ ...ring, backup_info: { time: now, version: ring.latest_version } })
