/**
 * How a process learns of commits of others: each leaves its keys under its revision, and who watches looks. Room:
 * adapters/storage-lmdb.
 */
import type { Feed } from '../../core/storage/feed.ts'
import type { Revision } from '../../core/storage/port.ts'
import { numberBytes } from './bytes.ts'
import type { Environment } from './environment.ts'
import type { Ledger } from './ledger.ts'

/** Who falls further behind than this many commits is told that everything may have changed. */
const REMEMBERED = 4096

/** LMDB has no notification across processes. A look costs about a microsecond. */
const LOOK_EVERY_MS = 5

export function recordChange({ changes }: Environment, revision: Revision, keys: readonly string[]): void {
  void changes.put(numberBytes(revision), Buffer.from(JSON.stringify(keys)))
  if (revision > REMEMBERED) void changes.remove(numberBytes(revision - REMEMBERED))
}

/** Announces all commits that `feed` has not heard of, in order. */
export function announceChanges({ root, changes }: Environment, ledger: Ledger, feed: Feed): void {
  root.resetReadTxn()
  const newest = ledger.revision()
  for (let revision = feed.revision + 1; revision <= newest; revision++) {
    const keys = changes.getBinary(numberBytes(revision))
    if (!keys) {
      feed.announce({ revision: newest, keys: null })
      return
    }
    feed.announce({ revision, keys: JSON.parse(keys.toString('utf8')) as string[] })
  }
}

/** Calls `look` every few milliseconds until the returned function is called; keeps no process alive. */
export function keepLooking(look: () => void): () => void {
  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
