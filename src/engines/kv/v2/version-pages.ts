/**
 * Stores the metadata of versions. The metadata of the latest versions is in the key record, which every write rewrites anyway. The
 * metadata of older versions is in pages.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { type KeyRecord, PAGE, pageId, pageOf, type SecretVersionInfo, type VersionPage } from './records.ts'
import { isKept, lastPagedVersion, oldestKept } from './versions.ts'

const EMPTY_PAGE: VersionPage = Object.freeze({})

/** Greater than the number of versions that are kept by default, so that most keys need no pages. */
const MAX_RECENT_VERSIONS = 32
/** Metadata is moved in groups of this size, so that only every 16th write also writes a page. */
const VERSIONS_MOVED = 16

/** A kept version with its metadata. */
export type NumberedVersion = readonly [version: number, info: SecretVersionInfo]

/** Returns undefined for a version that is no longer kept. */
export function versionInfoIn(tx: Tx, key: KeyRecord, version: number): SecretVersionInfo | undefined {
  if (!isKept(key, version)) return undefined
  const recent = version - lastPagedVersion(key) - 1
  return recent >= 0 ? key.recent[recent] : versionsOn(tx, key, pageOf(version))[version]
}

/** Returns the versions in ascending order. */
export function recentVersions(key: KeyRecord): readonly NumberedVersion[] {
  const first = lastPagedVersion(key) + 1
  return key.recent.map((info, index) => [first + index, info])
}

/** The pages that contain metadata of kept versions, in order. */
export function versionPagesOf(key: KeyRecord): readonly number[] {
  const pages: number[] = []
  const last = lastPagedVersion(key)
  if (last >= oldestKept(key)) for (let page = pageOf(oldestKept(key)); page <= pageOf(last); page++) pages.push(page)
  return pages
}

/** Returns the kept versions of a page in ascending order. */
export const keptVersionsOn = (tx: Tx, key: KeyRecord, page: number): readonly NumberedVersion[] =>
  Object.entries(versionsOn(tx, key, page))
    .map(([version, info]) => [Number(version), info] as const)
    .filter(([version]) => isKept(key, version))

/** Returns the versions on a page, possibly including versions that are no longer kept. */
export const versionsOn = (tx: Tx, { id }: KeyRecord, page: number): VersionPage => tx.get(PAGE, pageId(id, page)) ?? EMPTY_PAGE

/** Moves metadata to pages if the key record has too many. */
export function moveToPages(tx: Tx, key: KeyRecord): KeyRecord {
  if (key.recent.length <= MAX_RECENT_VERSIONS) return key
  const moved = recentVersions(key).slice(0, VERSIONS_MOVED)
  const pages = [...new Set(moved.map(([version]) => pageOf(version)))]
  const kept = loadAll(pages, (page) => keptVersionsOn(tx, key, page))
  for (const [index, page] of pages.entries()) {
    const infos = [...(kept[index] as readonly NumberedVersion[]), ...moved.filter(([version]) => pageOf(version) === page)]
    tx.put(PAGE, pageId(key.id, page), Object.fromEntries(infos))
  }
  return { ...key, recent: key.recent.slice(VERSIONS_MOVED) }
}
