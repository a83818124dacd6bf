/** The life cycle of versions as pure functions, by Vault's rules. */
import type { KeyRecord, KeySettings, KvConfig, SecretVersionInfo } from './records.ts'

const DEFAULT_LIMIT = 10

export const DEFAULT_CONFIG: KvConfig = Object.freeze({
  max_versions: 0,
  cas_required: false,
  metadata_cas_required: false,
  delete_version_after: 0,
})

export const DEFAULT_SETTINGS: KeySettings = Object.freeze({ ...DEFAULT_CONFIG, custom_metadata: null })

export const newKey = (id: string, now: number): KeyRecord => ({
  ...DEFAULT_SETTINGS,
  id,
  created: now,
  updated: now,
  current: 0,
  oldest: 0,
  settings_version: 0,
  recent: [],
})

/** Returns how many versions to keep: the setting of the key or of the mount, whichever is greater. */
const limitOf = (key: KeySettings, config: KvConfig): number => Math.max(key.max_versions, config.max_versions) || DEFAULT_LIMIT

export const oldestKept = ({ oldest }: Pick<KeyRecord, 'oldest'>): number => Math.max(1, oldest)

export const isKept = (key: Pick<KeyRecord, 'oldest' | 'current'>, version: number): boolean =>
  version >= oldestKept(key) && version <= key.current

/** Returns the last version whose metadata is in a page. The metadata of later versions is in the key record. */
export const lastPagedVersion = ({ current, recent }: Pick<KeyRecord, 'current' | 'recent'>): number => current - recent.length

/** Adds a version after the latest one. Raising the limit does not restore versions that were dropped before. */
export function withNextVersion(key: KeyRecord, config: KvConfig, now: number): KeyRecord {
  const current = key.current + 1
  const limit = limitOf(key, config)
  const oldest = current >= limit ? Math.max(key.oldest, current - limit + 1) : key.oldest
  const info: SecretVersionInfo = { created: now, deletion: deletionTime(key, config, now), state: 'kept' }
  const recent = [...key.recent, info].slice(oldestKept({ oldest }) - current - 1)
  return { ...key, current, oldest, updated: now, recent }
}

export const withKeySettings = (key: KeyRecord, settings: Partial<KeySettings>, now: number): KeyRecord => ({
  ...key,
  ...settings,
  updated: now,
  settings_version: key.settings_version + 1,
})

/** Returns when a version that is created or undeleted now will be deleted automatically; null for never. */
export function deletionTime(key: KeySettings, config: KvConfig, now: number): number | null {
  if (config.delete_version_after < 0) return null
  const times = [key.delete_version_after, config.delete_version_after].filter((seconds) => seconds > 0)
  return times.length > 0 ? now + Math.min(...times) * 1000 : null
}

/** Whether the data of a version can no longer be read at this time. */
export const isGone = ({ state, deletion }: SecretVersionInfo, now: number): boolean =>
  state !== 'kept' || (deletion !== null && deletion <= now)

/** The following functions return the same object if nothing changes. */
export const markDeleted = (info: SecretVersionInfo, now: number): SecretVersionInfo =>
  isGone(info, now) ? info : { ...info, deletion: now, state: 'deleted' }

export const markUndeleted = (info: SecretVersionInfo, deletion: number | null): SecretVersionInfo =>
  info.state === 'destroyed' || (info.state === 'kept' && info.deletion === deletion)
    ? info
    : { ...info, deletion, state: 'kept' }

/** Marks a version as destroyed, and keeps its deletion time. */
export const markDestroyed = (info: SecretVersionInfo): SecretVersionInfo =>
  info.state === 'destroyed' ? info : { ...info, state: 'destroyed' }
