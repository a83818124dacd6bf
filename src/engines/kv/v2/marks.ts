/**
 * Where the marks of versions lie: those of the newest versions in the key's record, which every write writes anyway, those of older ones in
 * pages.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { type KeyRecord, type Mark, PAGE, type Page, pageId, pageOf } from './records.ts'
import { floorOf, isKept, pagedOf } from './versions.ts'

export const NO_MARKS: Page = Object.freeze({})

/** More than the versions that are kept by default, so that most keys have no pages. */
const MOST_RECENT = 32
/** Moved together, so that one write in many writes a page. */
const MOVED = 16

/** A version that is kept, with its mark. */
export type Marked = readonly [version: number, mark: Mark]

/** The mark of a version; undefined for a version that is not kept. */
export function markIn(tx: Tx, key: KeyRecord, version: number): Mark | undefined {
  if (!isKept(key, version)) return undefined
  const recent = version - pagedOf(key) - 1
  return recent >= 0 ? key.recent[recent] : marksOn(tx, key, pageOf(version))[version]
}

/** In order. */
export function recentMarks(key: KeyRecord): readonly Marked[] {
  const first = pagedOf(key) + 1
  return key.recent.map((mark, index) => [first + index, mark])
}

/** The pages with marks of versions that are kept, in order. */
export function pagesOf(key: KeyRecord): readonly number[] {
  const pages: number[] = []
  const last = pagedOf(key)
  if (last >= floorOf(key)) for (let page = pageOf(floorOf(key)); page <= pageOf(last); page++) pages.push(page)
  return pages
}

/** Marks of versions that are kept, in order. */
export const keptOn = (tx: Tx, key: KeyRecord, page: number): readonly Marked[] =>
  Object.entries(marksOn(tx, key, page))
    .map(([version, mark]) => [Number(version), mark] as const)
    .filter(([version]) => isKept(key, version))

/** May include versions that are not kept. */
export const marksOn = (tx: Tx, { id }: KeyRecord, page: number): Page => tx.get(PAGE, pageId(id, page)) ?? NO_MARKS

/** Moves marks to pages where the record has too many. */
export function paged(tx: Tx, key: KeyRecord): KeyRecord {
  if (key.recent.length <= MOST_RECENT) return key
  const moved = recentMarks(key).slice(0, MOVED)
  const pages = [...new Set(moved.map(([version]) => pageOf(version)))]
  const kept = gather(pages, (page) => keptOn(tx, key, page))
  for (const [index, page] of pages.entries()) {
    const marks = [...(kept[index] as readonly Marked[]), ...moved.filter(([version]) => pageOf(version) === page)]
    tx.put(PAGE, pageId(key.id, page), Object.fromEntries(marks))
  }
  return { ...key, recent: key.recent.slice(MOVED) }
}
