/** The life cycle of versions: pure functions (source: behaviour of the originals). */
import type { KeyRecord, KeySettings, MountConfig, VersionInfo } from './records.ts'

const DEFAULT_LIMIT = 10

export const DEFAULT_CONFIG: MountConfig = Object.freeze({
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

/** The number of kept versions of a key: the key's setting or the mount's, whichever is more. */
const limitOf = (key: KeySettings, config: MountConfig): number =>
  Math.max(key.max_versions, config.max_versions) || DEFAULT_LIMIT

/** The first kept version. */
export const oldestKept = ({ oldest }: Pick<KeyRecord, 'oldest'>): number => Math.max(1, oldest)

export const isKept = (key: Pick<KeyRecord, 'oldest' | 'current'>, version: number): boolean =>
  version >= oldestKept(key) && version <= key.current

/** Versions up to this one have their marks in pages. */
export const lastPagedVersion = ({ current, recent }: Pick<KeyRecord, 'current' | 'recent'>): number => current - recent.length

/** The key with one more version, whose mark is the last of the recent ones; a raised limit restores no older version. */
export function withNextVersion(key: KeyRecord, config: MountConfig, now: number): KeyRecord {
  const current = key.current + 1
  const limit = limitOf(key, config)
  const oldest = current >= limit ? Math.max(key.oldest, current - limit + 1) : key.oldest
  const mark: VersionInfo = { created: now, deletion: deletionTime(key, config, now), state: 'kept' }
  const recent = [...key.recent, mark].slice(oldestKept({ oldest }) - current - 1)
  return { ...key, current, oldest, updated: now, recent }
}

export const withSettings = (key: KeyRecord, settings: Partial<KeySettings>, now: number): KeyRecord => ({
  ...key,
  ...settings,
  updated: now,
  settings_version: key.settings_version + 1,
})

/** The time at which a version made or undeleted now deletes itself; null for never. */
export function deletionTime(key: KeySettings, config: MountConfig, now: number): number | null {
  if (config.delete_version_after < 0) return null
  const times = [key.delete_version_after, config.delete_version_after].filter((seconds) => seconds > 0)
  return times.length > 0 ? now + Math.min(...times) * 1000 : null
}

/** Whether a version has no readable data: decided at each read, by the clock. */
export const isGone = ({ state, deletion }: VersionInfo, now: number): boolean =>
  state !== 'kept' || (deletion !== null && deletion <= now)

/** The mark functions return the same object where nothing changes. */
export const markDeleted = (mark: VersionInfo, now: number): VersionInfo =>
  isGone(mark, now) ? mark : { ...mark, deletion: now, state: 'deleted' }

export const markUndeleted = (mark: VersionInfo, deletion: number | null): VersionInfo =>
  mark.state === 'destroyed' || (mark.state === 'kept' && mark.deletion === deletion)
    ? mark
    : { ...mark, deletion, state: 'kept' }

/** The deletion time of the mark stays. */
export const markDestroyed = (mark: VersionInfo): VersionInfo =>
  mark.state === 'destroyed' ? mark : { ...mark, state: 'destroyed' }
