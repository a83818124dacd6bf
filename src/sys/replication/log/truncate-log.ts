/** Removes old entries of the replication log. */
import { LOG, logEntryKey } from '../../../core/log/frame.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import type { RecordSlot, TreeProgress } from '../state/records.ts'
import { DR, PERFORMANCE } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { entryBeforeOldest, LOG_PAGE_ENTRIES, type LoggedFrame, newestEntry, readLog } from './log-pages.ts'

export interface LogBounds {
  readonly maxBytes: number
  /** Milliseconds. */
  readonly maxAgeMs: number
}

/** The maximum number of entries that one commit removes. */
const ENTRIES_PER_COMMIT = 100

/** The number of stored Merkle roots (checkpoints) to keep for comparisons with other clusters. */
const CHECKPOINTS_KEPT = 64

/**
 * Removes old log entries until the log is within its bounds. Only entries that the trees of performance and DR replication already contain
 * are removed. Stops after a conflict.
 */
export async function truncateLog(host: SetHost, bounds: LogBounds, fence: Fence): Promise<void> {
  const { store, clock } = host
  for (;;) {
    const allProgress = await readTreeProgress(host)
    // Use the tree progress with the lowest `first`, because it counts the most log entries. Its `first` and `bytes` determine how many
    // entries to remove.
    const [oldestProgress] = [...allProgress].sort((a, b) => a.treeProgress.first - b.treeProgress.first)
    if (oldestProgress && (await entryBeforeOldest(store)) < oldestProgress.treeProgress.first) {
      if (!(await countOlderEntries(host, oldestProgress, fence))) return
      continue
    }
    const frames = oldestProgress && (await readLog(store, oldestProgress.treeProgress.first))
    if (!oldestProgress || !frames) return
    const newest = await newestEntry(store)
    const oldest = clock.now() - bounds.maxAgeMs
    const last = Math.min(newest, ...allProgress.map(({ treeProgress }) => treeProgress.entry))
    const unwanted = Math.max(...allProgress.map(({ treeProgress }) => treeProgress.removeUpTo ?? 0))
    let { first, bytes } = oldestProgress.treeProgress
    const cut: LoggedFrame[] = []
    for (const frame of frames) {
      const isKept = bytes <= bounds.maxBytes && frame.at >= oldest && frame.entry > unwanted
      if (isKept || frame.entry >= last || frame.entry - oldestProgress.treeProgress.first > ENTRIES_PER_COMMIT) break
      first = frame.entry
      bytes -= frame.bytes
      cut.push(frame)
    }
    if (cut.length === 0) return dropCheckpoints(host, fence)
    const gone = Array.from({ length: first - oldestProgress.treeProgress.first }, (_, at) =>
      logEntryKey(oldestProgress.treeProgress.first + 1 + at),
    )
    const { ok } = await store.commit([
      ...gone.map((key) => ({ op: 'del', key }) as const),
      ...allProgress.map(({ slot, treeProgress, version }) => slot.put(store, withoutFrames(treeProgress, cut), version)),
      ...checksOf([fence]),
    ])
    if (!ok) return
    await clock.sleep(0)
  }
}

/**
 * Adds the sizes of the log entries before `first` to the tree progress, which has not counted these entries. They exist if the cluster has
 * left another set, whose tree progress had counted them. Returns false after a conflict.
 */
async function countOlderEntries(
  { store, clock }: SetHost,
  { slot, treeProgress, version }: StoredTreeProgress,
  fence: Fence,
): Promise<boolean> {
  const before = await entryBeforeOldest(store)
  let { bytes } = treeProgress
  for (let at = before; at < treeProgress.first; await clock.sleep(0)) {
    const found = await store.page(`${LOG}/`, {
      after: logEntryKey(at),
      limit: Math.min(LOG_PAGE_ENTRIES, treeProgress.first - at),
    })
    if (found.length === 0) break
    at += found.length
    for (const { value } of found) bytes += value.length
  }
  const { ok } = await store.commit([slot.put(store, { ...treeProgress, first: before, bytes }, version), ...checksOf([fence])])
  return ok
}

async function dropCheckpoints({ store, kind }: SetHost, fence: Fence): Promise<void> {
  const names = await store.list(kind.checkpoints, { limit: CHECKPOINTS_KEPT + ENTRIES_PER_COMMIT })
  const gone = names.slice(0, Math.max(0, names.length - CHECKPOINTS_KEPT)).slice(0, ENTRIES_PER_COMMIT)
  if (gone.length === 0) return
  await store.commit([...gone.map((name) => ({ op: 'del', key: kind.checkpoints + name }) as const), ...checksOf([fence])])
}

interface StoredTreeProgress {
  readonly slot: RecordSlot<TreeProgress>
  readonly treeProgress: TreeProgress
  readonly version: number
}

/** Reads the tree progress of all kinds of replication that are active, because an entry may be removed only if all trees contain it. */
async function readTreeProgress({ store, kind }: SetHost): Promise<readonly StoredTreeProgress[]> {
  const { role } = store.commits
  const kinds = [kind, ...[PERFORMANCE, DR].filter((other) => other !== kind && other.partOf(role).mode !== 'disabled')]
  const found = await Promise.all(kinds.map(async ({ treeProgress: slot }) => ({ slot, ...(await slot.read(store)) })))
  return found.flatMap(({ slot, value, version }) => (value ? [{ slot, treeProgress: value, version }] : []))
}

function withoutFrames(treeProgress: TreeProgress, cut: readonly LoggedFrame[]): TreeProgress {
  const own = cut.filter(({ entry }) => entry > treeProgress.first)
  const last = own.at(-1)
  return last
    ? { ...treeProgress, first: last.entry, bytes: treeProgress.bytes - own.reduce((sum, { bytes }) => sum + bytes, 0) }
    : treeProgress
}
