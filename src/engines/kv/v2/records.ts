/**
 * The records of version 2, below `r/<mount>/`.
 *
 * A key's record holds settings, counters and the marks of its newest versions; those of older ones are in pages, so that no operation's
 * cost grows with the number of versions. Versions are addressed by the random id in the record, so a key deleted and made anew never finds
 * its former ones, and deletion is one commit and a job.
 */
import { jsonRecord, textRecord } from '../../../core/contract/record-kind.ts'

/** The settings of a mount as a whole. */
export interface MountConfig {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** Seconds; 0 is none; -1 switches timed deletion off, whatever a key says. */
  readonly delete_version_after: number
}

/** The settings of a key. */
export interface KeySettings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** Seconds; 0 is none. */
  readonly delete_version_after: number
  readonly custom_metadata: Readonly<Record<string, string>> | null
}

export interface KeyRecord extends KeySettings {
  /** The id that its versions lie under. */
  readonly id: string
  /** Milliseconds. */
  readonly created: number
  /** Milliseconds, of the last write of data or settings. */
  readonly updated: number
  /** The newest version; 0 where there is none yet. */
  readonly current: number
  /** The first kept version, once the limit has been reached; 0 before that. */
  readonly oldest: number
  /** How often settings were written. */
  readonly settings_version: number
  /** The marks of the newest versions, the newest last. Versions before them have theirs in pages. */
  readonly recent: readonly VersionInfo[]
}

/** The state of a version, without its data. */
export interface VersionInfo {
  /** Milliseconds. */
  readonly created: number
  /** Milliseconds: when it was deleted, or will be. */
  readonly deletion: number | null
  /** `deleted`: by hand, whatever the clock says. `destroyed`: for good. */
  readonly state: 'kept' | 'deleted' | 'destroyed'
}

/** The marks of up to {@link PAGE_VERSIONS} versions. May include versions that are no longer kept. */
export type VersionPage = Readonly<Record<string, VersionInfo>>

/** Unreferenced data for a job to clear away: versions from `from` up to, not including, `to`, and single ones. */
export interface PendingSweep {
  readonly from: number
  readonly to: number
  readonly versions: readonly number[]
}

/** At `config/mount`. */
export const CONFIG = /* @__PURE__ */ jsonRecord<MountConfig>({ folder: 'config' })
export const CONFIG_ID = 'mount'
/** At `page/<id of the key>/<number>`. */
export const PAGE = /* @__PURE__ */ jsonRecord<VersionPage>({ folder: 'page' })
/** The JSON text of a version, at `data/<id of the key>/<version>`. */
export const DATA = /* @__PURE__ */ textRecord({ folder: 'data' })
/** At `sweep/<id of the key>`. */
export const SWEEP = /* @__PURE__ */ jsonRecord<PendingSweep>({ folder: 'sweep' })

/** Changing a mark rewrites its page, so a page is small. */
export const PAGE_VERSIONS = 128
export const pageOf = (version: number): number => Math.floor((version - 1) / PAGE_VERSIONS)
export const pageId = (id: string, page: number): string => `${id}/${page}`
export const dataId = (id: string, version: number): string => `${id}/${version}`
