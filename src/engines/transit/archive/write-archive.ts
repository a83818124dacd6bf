/** Writes a transit key as a backup that Vault or OpenBao can restore, so that users can migrate to them. */
import { encodeBase64 } from '../../../core/base/base64.ts'
import { toUtf8 } from '../../../core/base/bytes.ts'
import { rfc3339 } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { transferMicroseconds } from '../key-types/index.ts'
import type { ArchivedKey } from '../key-types/key-codec.ts'
import type { VersionKey } from '../material.ts'
import type { Ring, RingVersion, StoredBackupInfo } from '../ring.ts'
import type { RingKeys } from '../ring-keys.ts'
import { templateOf } from '../text.ts'
import { type BigJson, JsonText, printBigJson } from './big-json.ts'

export const ARCHIVE_FORMS = ['openbao', 'vault'] as const

export type ArchiveForm = (typeof ARCHIVE_FORMS)[number]

/** The prefix of ciphertexts in Vault and OpenBao if the key has no template. */
const VAULT_PREFIX = 'vault'

const NANOSECONDS = 1_000_000_000n

/** A placeholder for the versions, which are printed separately. No printed string contains this character, since JSON escapes it. */
const VERSIONS_PLACEHOLDER = /* @__PURE__ */ new JsonText('\u0000')

type VersionEntry = { readonly [name: string]: BigJson }

/**
 * Returns the backup: base64 of JSON and a newline. The versions must be loaded.
 * @throws KernelError 400 if the chosen system does not have the key type
 */
export function* writeArchive(keys: RingKeys, form: ArchiveForm): Steps<string> {
  const { ring, type } = keys
  const number = type.numbers[form]
  if (number === undefined) throw invalid(`form: ${form} does not have the key type ${ring.type}`)
  const entries = yield* printVersions(keys)
  const working: string[] = []
  const archived: string[] = []
  for (let version = ring.min_available_version; version <= ring.latest_version; version++) {
    const entry = entries.get(version) ?? MISSING_VERSION
    archived.push(entry)
    if (version >= ring.min_decryption_version) working.push(`"${version}":${entry}`)
  }
  const [before, after] = printBigJson(policyOf(keys, form, number, VERSIONS_PLACEHOLDER)).split(VERSIONS_PLACEHOLDER.text) as [
    string,
    string,
  ]
  return yield* encodeTexts([`{"policy":${before}{`, working, `}${after},"archived_keys":{"keys":[`, archived, ']}}\n'])
}

/** Prints each version once. The printed text is used twice: in `keys` and in `archived_keys`. */
function* printVersions(keys: RingKeys): Steps<ReadonlyMap<number, string>> {
  const cost = transferMicroseconds(keys.env, keys.ring.type)
  const pace = new Pace()
  const printed = new Map<number, string>()
  for (const [name, version] of Object.entries(keys.ring.versions)) {
    const entry = entryOf(keys, version, keys.version(Number(name)))
    printed.set(Number(name), printBigJson(entry))
    for (const part of Object.values(entry)) if (part instanceof Uint8Array) part.fill(0)
    if (pace.spend(cost)) yield
  }
  return printed
}

/** A multiple of three, so that base64 can be computed piece by piece: the concatenated results equal the base64 of the whole. */
const PIECE_BYTES = 393_216

/** Returns the base64 of all strings, concatenated without a separator. An element that is itself a list is first joined with commas. */
function* encodeTexts(texts: readonly (string | readonly string[])[]): Steps<string> {
  const piece = new Uint8Array(PIECE_BYTES)
  let encoded = ''
  let size = 0
  for (const text of texts.flatMap((part) => (typeof part === 'string' ? part : withCommas(part)))) {
    for (let bytes = toUtf8(text); bytes.length > 0; ) {
      const fits = bytes.subarray(0, PIECE_BYTES - size)
      piece.set(fits, size)
      size += fits.length
      bytes = bytes.subarray(fits.length)
      if (size < PIECE_BYTES) continue
      encoded += encodeBase64(piece)
      size = 0
      yield
    }
  }
  encoded += encodeBase64(piece.subarray(0, size))
  piece.fill(0)
  // Yield before returning, because the caller then stores the key, which also takes long.
  yield
  return encoded
}

const withCommas = (texts: readonly string[]): readonly string[] => texts.map((text, index) => (index === 0 ? text : `,${text}`))

/** Returns the members of the backed-up key, in the order in which Vault writes them. @param keys The versions by number. */
function policyOf({ ring, env, form: text }: RingKeys, form: ArchiveForm, type: number, keys: BigJson): BigJson {
  const hasTemplate = ring.version_template !== '' || env.ciphertextPrefix !== VAULT_PREFIX
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
    version_template: hasTemplate ? templateOf(text) : '',
    storage_prefix: '',
    auto_rotate_period: BigInt(ring.auto_rotate_period) * NANOSECONDS,
    Imported: ring.imported,
    AllowImportedKeyRotation: ring.allow_imported_key_rotation,
    soft_deleted: form === 'openbao' ? ring.soft_deleted : undefined,
  }
}

const stampOf = (stamp: StoredBackupInfo | undefined): BigJson =>
  stamp ? { time: rfc3339(stamp.time), version: stamp.version } : null

function entryOf({ type, env }: RingKeys, version: RingVersion, stored: VersionKey): VersionEntry {
  const members = (macKey: Uint8Array, key: Uint8Array): VersionEntry => {
    const own = type.macOnly ? macKey : key
    const archived = type.codec.toArchive(env.crypto, own, stored.publicOnly, version.public_key)
    return entry(version, archived, macKey.slice())
  }
  return stored.lendAll(members)
}

function entry(
  { created, convergent_version, certificate_chain }: RingVersion,
  key: ArchivedKey,
  hmac_key: Uint8Array,
): VersionEntry {
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

/** The entry that Vault writes for a missing version. */
const MISSING_VERSION = /* @__PURE__ */ printBigJson({
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
})

export const withBackupTime = (ring: Ring, now: number): Ring => ({
  ...ring,
  backup_info: { time: now, version: ring.latest_version },
})
