/**
 * What version 2 keeps, below `r/<mount>/`.
 *
 * A key's record holds settings and counters; its versions are addressed by the random id in it, so that a key deleted and made anew
 * never meets what was there before, and deleting one is a commit and a job. No operation grows with the number of versions.
 */
import { jsonRecord, textRecord } from '../../../core/contract/record-kind.ts'

/** What can be set on a mount as a whole. */
export interface Config {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** Seconds; 0 is none, -1 that no version is deleted by time, whatever its key says. */
  readonly delete_version_after: number
}

/** What can be set on a key. */
export interface Settings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly metadata_cas_required: boolean
  /** Seconds; 0 is none. */
  readonly delete_version_after: number
  readonly custom_metadata: Readonly<Record<string, string>> | null
}

export interface KeyRecord extends Settings {
  /** What its versions are kept under. */
  readonly id: string
  /** Milliseconds. */
  readonly created: number
  /** Of the last write of data or settings. */
  readonly updated: number
  /** The newest version; 0 where there is none yet. */
  readonly current: number
  /** The first version that is kept, once as many as the limit were written; before that 0. */
  readonly oldest: number
  /** How often settings were written. */
  readonly settings_version: number
}

/** What is known of a version beside its data. */
export interface Mark {
  /** Milliseconds. */
  readonly created: number
  /** When it was deleted, or will be. */
  readonly deletion: number | null
  /** Deleted by hand, which no clock takes back, or destroyed, which nothing does. */
  readonly state: 'kept' | 'deleted' | 'destroyed'
}

/** The marks of up to {@link PAGE_VERSIONS} versions. May hold some of versions that are not kept any more. */
export type Page = Readonly<Record<string, Mark>>

/** Data that nothing refers to any more, cleared away by a job: versions from `from` up to, not including, `to`, and single ones. */
export interface Sweep {
  readonly from: number
  readonly to: number
  readonly versions: readonly number[]
}

/** At `config/mount`. */
export const CONFIG = /* @__PURE__ */ jsonRecord<Config>({ folder: 'config' })
export const CONFIG_ID = 'mount'
/** At `key/<path>`. */
export const KEY = /* @__PURE__ */ jsonRecord<KeyRecord>({ folder: 'key' })
/** At `page/<id of the key>/<number>`. */
export const PAGE = /* @__PURE__ */ jsonRecord<Page>({ folder: 'page' })
/** The JSON text of a version, at `data/<id of the key>/<version>`. */
export const DATA = /* @__PURE__ */ textRecord({ folder: 'data' })
/** At `sweep/<id of the key>`. */
export const SWEEP = /* @__PURE__ */ jsonRecord<Sweep>({ folder: 'sweep' })

/** Writing a version rewrites its page, so a page is small. */
export const PAGE_VERSIONS = 128
export const pageOf = (version: number): number => Math.floor((version - 1) / PAGE_VERSIONS)
export const pageId = (id: string, page: number): string => `${id}/${page}`
export const dataId = (id: string, version: number): string => `${id}/${version}`
