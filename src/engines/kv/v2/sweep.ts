/**
 * Deletes data that no key refers to any more. A few versions are deleted in the commit that drops them. Otherwise a job deletes the data
 * in commits of limited size.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { dataId, type KeyRecord, PAGE, PAGE_VERSIONS, type PendingSweep, pageId, pageOf, SWEEP, VERSION_DATA } from './records.ts'
import { lastPagedVersion, oldestKept } from './versions.ts'

/** The deletion of old versions of a secret is scheduled as background work with the id `sweep/<key id>`. */
export const SWEEP_JOB = 'sweep'

const MAX_VERSIONS_IN_COMMIT = 24
/** The versions that the background work deletes per commit. The same commit can also delete a page of version metadata, and stores its progress. */
const VERSIONS_PER_JOB_COMMIT = 96

/** Deletes the data of versions beyond the limit. Their metadata may remain: no operation reads metadata below the oldest kept version. */
export function sweepBelow(tx: Tx, before: KeyRecord, after: KeyRecord): void {
  if (before.current > 0) sweepRange(tx, after.id, oldestKept(before), Math.min(oldestKept(after), before.current + 1))
}

/** Deletes all versions of a deleted key, and the last page if the key may have pages. */
export const sweepAll = (tx: Tx, key: KeyRecord): void => {
  const end = lastPagedVersion(key) > 0 ? (pageOf(key.current) + 1) * PAGE_VERSIONS : key.current
  if (key.current > 0) sweepRange(tx, key.id, oldestKept(key), end + 1, key.current)
}

/** Deletes the data of destroyed versions, but keeps their metadata. */
export function sweepVersions(tx: Tx, id: string, versions: readonly number[]): void {
  for (const version of versions.slice(0, MAX_VERSIONS_IN_COMMIT)) tx.delete(VERSION_DATA, dataId(id, version))
  if (versions.length > MAX_VERSIONS_IN_COMMIT)
    scheduleSweep(tx, id, { ...NOTHING, versions: versions.slice(MAX_VERSIONS_IN_COMMIT) })
}

/** @param last The last version that exists. `to` is greater than `last` + 1 if the range must include the last page. */
function sweepRange(tx: Tx, id: string, from: number, to: number, last = to - 1): void {
  if (last - from >= MAX_VERSIONS_IN_COMMIT) scheduleSweep(tx, id, { from, to, versions: [] })
  else clear(tx, id, from, to, last)
}

/** Deletes the data from `from` to `last`, and the pages that end within the range. */
function clear(tx: Tx, id: string, from: number, to: number, last = to - 1): void {
  for (let version = from; version <= last; version++) tx.delete(VERSION_DATA, dataId(id, version))
  for (let page = pageOf(from); (page + 1) * PAGE_VERSIONS < to; page++) tx.delete(PAGE, pageId(id, page))
}

const NOTHING: PendingSweep = Object.freeze({ from: 0, to: 0, versions: [] })

/** Adds versions to the pending sweep of the key. Versions are dropped in ascending order, so adjacent ranges can be merged into one. */
function scheduleSweep(tx: Tx, id: string, more: PendingSweep): void {
  const known = tx.get(SWEEP, id)
  tx.put(SWEEP, id, known ? mergeSweeps(known, more) : more)
  if (!known) tx.due('housekeeping', `${SWEEP_JOB}/${id}`, { to: tx.now })
}

function mergeSweeps(a: PendingSweep, b: PendingSweep): PendingSweep {
  const versions = [...a.versions, ...b.versions]
  if (a.to === 0 || b.to === 0) return { from: Math.max(a.from, b.from), to: Math.max(a.to, b.to), versions }
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to), versions }
}

/** Deletes as much pending data as fits into one commit, and schedules the next run if data is left. */
export function runSweep(tx: Tx, id: string): void {
  const sweep = tx.get(SWEEP, id)
  if (!sweep) return
  const versions = sweep.versions.slice(0, VERSIONS_PER_JOB_COMMIT)
  for (const version of versions) tx.delete(VERSION_DATA, dataId(id, version))
  const end = Math.min(sweep.to, sweep.from + VERSIONS_PER_JOB_COMMIT - versions.length)
  if (end > sweep.from) clear(tx, id, sweep.from, end)
  const left = { from: end, to: sweep.to, versions: sweep.versions.slice(VERSIONS_PER_JOB_COMMIT) }
  if (left.versions.length === 0 && end >= sweep.to) tx.delete(SWEEP, id)
  else {
    tx.put(SWEEP, id, left)
    tx.due('housekeeping', `${SWEEP_JOB}/${id}`, { to: tx.now })
  }
}
