/**
 * The stored form of a key record, at `key/<path>`. Every new version rewrites the record, so members that have their default value are
 * omitted.
 */
import { deepFreeze } from '../../../core/base/state.ts'
import { jsonRecord, type RecordKind } from '../../../core/contract/record-kind.ts'
import type { KeyRecord, SecretVersionInfo } from './records.ts'
import { DEFAULT_SETTINGS } from './versions.ts'

/**
 * The first number is the time in milliseconds since the creation of the previous version, or since the creation of the key for the first
 * version. If a version is neither deleted nor destroyed and has no deletion time, only this number is stored.
 */
type StoredVersion =
  | number
  | readonly [passed: number, deletion: SecretVersionInfo['deletion'], state: SecretVersionInfo['state']]

type StoredKey = { readonly [K in keyof Omit<KeyRecord, 'recent'>]?: KeyRecord[K] | undefined } & {
  readonly recent: readonly StoredVersion[]
}

const DEFAULTS = Object.freeze({ ...DEFAULT_SETTINGS, oldest: 0, settings_version: 0 })

/** JSON omits undefined members. */
const omitDefault = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value)

const compactKey = (key: KeyRecord): StoredKey => ({
  id: key.id,
  created: key.created,
  updated: key.updated,
  current: key.current,
  oldest: omitDefault(key.oldest, DEFAULTS.oldest),
  settings_version: omitDefault(key.settings_version, DEFAULTS.settings_version),
  max_versions: omitDefault(key.max_versions, DEFAULTS.max_versions),
  cas_required: omitDefault(key.cas_required, DEFAULTS.cas_required),
  metadata_cas_required: omitDefault(key.metadata_cas_required, DEFAULTS.metadata_cas_required),
  delete_version_after: omitDefault(key.delete_version_after, DEFAULTS.delete_version_after),
  custom_metadata: omitDefault(key.custom_metadata, DEFAULTS.custom_metadata),
  recent: compactVersions(key),
})

function compactVersions({ created: made, recent }: KeyRecord): readonly StoredVersion[] {
  let last = made
  return recent.map(({ created, deletion, state }) => {
    const passed = created - last
    last = created
    return state === 'kept' && deletion === null ? passed : [passed, deletion, state]
  })
}

function expandVersions(made: number, recent: readonly StoredVersion[]): readonly SecretVersionInfo[] {
  let created = made
  return recent.map((stored): SecretVersionInfo => {
    const [passed, deletion, state] = typeof stored === 'number' ? ([stored, null, 'kept'] as const) : stored
    created += passed
    return { created, deletion, state }
  })
}

function keyKind(): RecordKind<KeyRecord> {
  const stored = jsonRecord<StoredKey>({ folder: 'key' })
  const { class: keyClass, folder, format: own, guarded } = stored
  return {
    class: keyClass,
    folder,
    format: own,
    guarded,
    encode: (key) => stored.encode(compactKey(key)),
    text: (key) => JSON.stringify(compactKey(key)),
    decode: (bytes, format) => {
      const { recent, ...rest } = stored.decode(bytes, format)
      const key = rest as Omit<KeyRecord, 'recent'>
      return deepFreeze({ ...DEFAULTS, ...key, recent: expandVersions(key.created, recent) })
    },
  }
}

export const KEY = /* @__PURE__ */ keyKind()
