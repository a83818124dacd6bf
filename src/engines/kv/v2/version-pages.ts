/**
 * Where the marks of versions lie: those of the newest versions in the key's record, which every write writes anyway, those of older ones in
 * pages.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { type KeyRecord, PAGE, pageId, pageOf, type VersionInfo, type VersionPage } from './records.ts'
import { isKept, lastPagedVersion, oldestKept } from './versions.ts'

export const EMPTY_PAGE: VersionPage = Object.freeze({})

/** More than the versions that are kept by default, so that most keys have no pages. */
const MAX_RECENT_VERSIONS = 32
/** Moved together, so that one write in many writes a page. */
const VERSIONS_MOVED = 16

/** A version that is kept, with its mark. */
export type NumberedVersion = readonly [version: number, mark: VersionInfo]

/** The mark of a version; undefined for a version that is not kept. */
export function versionInfoIn(tx: Tx, key: KeyRecord, version: number): VersionInfo | undefined {
  if (!isKept(key, version)) return undefined
  const recent = version - lastPagedVersion(key) - 1
  return recent >= 0 ? key.recent[recent] : versionsOn(tx, key, pageOf(version))[version]
}

/** In order. */
export function recentVersions(key: KeyRecord): readonly NumberedVersion[] {
  const first = lastPagedVersion(key) + 1
  return key.recent.map((mark, index) => [first + index, mark])
}

/** The pages with marks of versions that are kept, in order. */
export function pagesOf(key: KeyRecord): readonly number[] {
  const pages: number[] = []
  const last = lastPagedVersion(key)
  if (last >= oldestKept(key)) for (let page = pageOf(oldestKept(key)); page <= pageOf(last); page++) pages.push(page)
  return pages
}

/** Marks of versions that are kept, in order. */
export const keptVersionsOn = (tx: Tx, key: KeyRecord, page: number): readonly NumberedVersion[] =>
  Object.entries(versionsOn(tx, key, page))
    .map(([version, mark]) => [Number(version), mark] as const)
    .filter(([version]) => isKept(key, version))

/** May include versions that are not kept. */
export const versionsOn = (tx: Tx, { id }: KeyRecord, page: number): VersionPage => tx.get(PAGE, pageId(id, page)) ?? EMPTY_PAGE

/** Moves marks to pages where the record has too many. */
export function moveToPages(tx: Tx, key: KeyRecord): KeyRecord {
  if (key.recent.length <= MAX_RECENT_VERSIONS) return key
  const moved = recentVersions(key).slice(0, VERSIONS_MOVED)
  const pages = [...new Set(moved.map(([version]) => pageOf(version)))]
  const kept = gather(pages, (page) => keptVersionsOn(tx, key, page))
  for (const [index, page] of pages.entries()) {
    const marks = [...(kept[index] as readonly NumberedVersion[]), ...moved.filter(([version]) => pageOf(version) === page)]
    tx.put(PAGE, pageId(key.id, page), Object.fromEntries(marks))
  }
  return { ...key, recent: key.recent.slice(VERSIONS_MOVED) }
}
