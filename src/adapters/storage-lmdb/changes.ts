/**
 * Announces the commits of other processes: each write transaction stores the keys that it wrote, and watching processes poll for them.
 */
import type { Feed } from '../../core/storage/feed.ts'
import type { Change, Revision } from '../../core/storage/port.ts'
import { numberBytes } from './bytes.ts'
import { ignoreRejection } from './driver.ts'
import type { LmdbEnvironment } from './environment.ts'
import type { Ledger } from './ledger.ts'

/** A watcher that is more than this many commits behind is notified that everything may have changed. */
const REMEMBERED = 4096

/** LMDB cannot notify other processes, so they poll. A poll costs about a microsecond. */
const POLL_INTERVAL_MS = 5

/** Stores all changes of a transaction in one record, in order, under the last revision of the transaction. Deletes a few old records. */
export function recordChanges({ changes }: LmdbEnvironment, told: readonly Change[]): void {
  const newest = told.at(-1)?.revision
  if (newest === undefined) return
  const text = JSON.stringify(told.map(({ revision, keys }) => [revision, keys]))
  ignoreRejection(changes.put(numberBytes(newest), Buffer.from(text)))
  const old = [...changes.getKeys({ start: numberBytes(0), end: numberBytes(Math.max(0, newest - REMEMBERED)), limit: 8 })]
  for (const key of old) ignoreRejection(changes.remove(key))
}

/** Announces, in order, all commits that `feed` has not announced yet. */
export function announceChanges({ root, changes }: LmdbEnvironment, ledger: Ledger, feed: Feed): void {
  root.resetReadTxn()
  const newest = ledger.revision()
  if (newest === feed.revision) return
  const unheard: Change[] = []
  for (const { value } of changes.getRange({ start: numberBytes(feed.revision + 1), end: numberBytes(newest + 1) })) {
    for (const [revision, keys] of JSON.parse(value.toString('utf8')) as [Revision, string[]][])
      if (revision > feed.revision) unheard.push({ revision, keys })
  }
  // Revisions have no gaps. So if there are fewer changes than revisions, the oldest changes were deleted, and anything may have changed.
  if (unheard.length < newest - feed.revision) feed.announce({ revision: newest, keys: null })
  else for (const change of unheard) feed.announce(change)
}

/**
 * Calls `look` every few milliseconds until the returned function is called. If `look` throws, the error is ignored and `look` is called
 * again at the next interval. The timer does not keep the process alive.
 */
export function pollUntilStopped(look: () => void): () => void {
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // Reads and commits report such a failure to their callers.
    }
  }, POLL_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
