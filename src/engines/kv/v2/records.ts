/**
 * The records of version 2, below `r/<mount>/`.
 *
 * A key is a secret with its versions. Its key record has the settings, counters and the metadata of the latest versions. The metadata of
 * older versions is in pages, so the cost of operations does not grow with the number of versions. Pages and data are stored under the
 * random id of the key record. If a deleted key is created again, it gets a new id, so its former versions are not found any more. A
 * deletion therefore needs only one commit, and a job deletes the data afterwards.
 */
import { jsonRecord, textRecord } from '../../../core/contract/record-kind.ts'

/** The settings of a mount. */
export interface KvConfig {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** The age in seconds at which versions are deleted; 0 means not set; -1 disables automatic deletion for all keys. */
  readonly delete_version_after: number
}

/** The settings of a key. */
export interface KeySettings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** The age in seconds at which versions are deleted; 0 means not set. */
  readonly delete_version_after: number
  readonly custom_metadata: Readonly<Record<string, string>> | null
}

export interface KeyRecord extends KeySettings {
  /** The id under which versions are stored. */
  readonly id: string
  /** The creation time of the key, in milliseconds since the Unix epoch. */
  readonly created: number
  /** The time of the last write of data or settings, in milliseconds since the Unix epoch. */
  readonly updated: number
  /** The latest version; 0 if the key has no version. */
  readonly current: number
  /** The oldest kept version; 0 until the key has had as many versions as its limit. */
  readonly oldest: number
  /** How many times the settings were written. */
  readonly settings_version: number
  /** The metadata of the latest versions, the latest one last. The metadata of older versions is in pages. */
  readonly recent: readonly SecretVersionInfo[]
}

/** The state of a version, without its data. */
export interface SecretVersionInfo {
  /** The creation time of the version, in milliseconds since the Unix epoch. */
  readonly created: number
  /** When the version was or will be deleted, in milliseconds since the Unix epoch; null for never. */
  readonly deletion: number | null
  /** `deleted`: a request deleted the version, so `deletion` is not compared with the clock. `destroyed`: the data is deleted permanently. */
  readonly state: 'kept' | 'deleted' | 'destroyed'
}

/** The metadata of up to {@link PAGE_VERSIONS} versions, possibly including versions that are no longer kept. */
export type VersionPage = Readonly<Record<string, SecretVersionInfo>>

/**
 * Data that no key refers to any more and that a job must delete: the versions from `from` to `to` - 1, and the single versions in
 * `versions`.
 */
export interface PendingSweep {
  readonly from: number
  readonly to: number
  readonly versions: readonly number[]
}

/** The settings of the mount, stored at `config/mount`. */
export const KV_CONFIG = /* @__PURE__ */ jsonRecord<KvConfig>({ folder: 'config' })
export const KV_CONFIG_ID = 'mount'
/** The metadata of older versions, stored at `page/<key id>/<number>`. */
export const PAGE = /* @__PURE__ */ jsonRecord<VersionPage>({ folder: 'page' })
/** The JSON text of a version, stored at `data/<key id>/<version>`. */
export const VERSION_DATA = /* @__PURE__ */ textRecord({ folder: 'data' })
/** Pending deletions of data, stored at `sweep/<key id>`. */
export const SWEEP = /* @__PURE__ */ jsonRecord<PendingSweep>({ folder: 'sweep' })

/** The number of versions per page. Pages are small, because a change to one version rewrites its page. */
export const PAGE_VERSIONS = 128
export const pageOf = (version: number): number => Math.floor((version - 1) / PAGE_VERSIONS)
export const pageId = (id: string, page: number): string => `${id}/${page}`
export const dataId = (id: string, version: number): string => `${id}/${version}`
