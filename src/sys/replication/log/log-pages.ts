/** Reads the replication log in pages. */
import { isDamage } from '../../../core/barrier/is-damage.ts'
import { LOG, type LogFrame, logEntryKey, readEntryHead, readFrame } from '../../../core/log/frame.ts'
import { decodeOps, type LoggedOp } from '../../../core/log/op-list.ts'
import { logIndex } from '../../../core/storage/port.ts'
import type { Store } from '../../../core/transaction/store.ts'
import { isReplicatedKey, type ReplicationKind } from '../state/replication-kind.ts'

export interface LoggedFrame extends LogFrame {
  /** The sequence number of the frame's last entry in the log. */
  readonly entry: number
  /** The number of log entries into which the frame was split. */
  readonly entries: number
  /** The size in the log, in bytes. */
  readonly bytes: number
}

/** Whether a change is sent to secondaries of this kind of replication. */
export const isReplicatedOp = (kind: ReplicationKind, { op, key }: LoggedOp): boolean =>
  op !== 'guard' && isReplicatedKey(kind, key)

/** Whether a frame contains changes that are sent to secondaries of this kind of replication. */
export const isReplicatedFrame = (kind: ReplicationKind, { ops }: Pick<LogFrame, 'ops'>): boolean =>
  ops.some((op) => isReplicatedOp(kind, op))

/** The number of entries that are read at a time. */
export const LOG_PAGE_ENTRIES = 64

/**
 * Returns the complete frames after an entry, at most one page.
 *
 * @returns Undefined if the log no longer contains the next entry, or if the next frame is damaged. The log is then of no use to the caller,
 * who must read or compare all records.
 */
export async function readLog(store: Store, after: number): Promise<readonly LoggedFrame[] | undefined> {
  let found = await store.page(`${LOG}/`, { after: logEntryKey(after), limit: LOG_PAGE_ENTRIES })
  const [first] = found
  if (!first) return []
  if (logIndex(LOG, first.key) !== after + 1) return undefined
  const frames: LoggedFrame[] = []
  for (let at = 0; at < found.length; ) {
    const head = readHead((found[at] as (typeof found)[number]).value)
    if (!head) return frames.length > 0 ? frames : undefined
    const { count } = head
    if (at + count > found.length) {
      if (frames.length > 0) break
      found = await store.page(`${LOG}/`, { after: logEntryKey(after), limit: at + count })
      if (found.length < at + count) return undefined
    }
    const entries = found.slice(at, at + count).map(({ value }) => value)
    at += count
    const bytes = entries.reduce((sum, { length }) => sum + length, 0)
    const frame = await openFrame(store, entries)
    if (!frame) return frames.length > 0 ? frames : undefined
    frames.push({ ...frame, entry: after + at, entries: count, bytes })
  }
  return frames
}

/**
 * Reads the number of entries of a frame from the header of its first entry. Returns undefined if the entry is damaged, or is not the first
 * of its frame.
 */
function readHead(entry: Uint8Array): { readonly count: number } | undefined {
  try {
    const { count, piece } = readEntryHead(entry)
    return piece === 0 && count > 0 ? { count } : undefined
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/** Decrypts a frame. Returns undefined if the frame is damaged. */
async function openFrame(store: Store, entries: readonly Uint8Array[]): Promise<LogFrame | undefined> {
  try {
    const { name, list, values, ...frame } = readFrame(entries)
    const [opened] = await store.decryptAll([{ key: name, value: list, version: 0 }])
    return { ...frame, ops: decodeOps({ values }, (opened as NonNullable<typeof opened>).value) }
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/** Returns the sequence number of the newest entry; 0 if the log is empty. */
export async function newestEntry(store: Store): Promise<number> {
  const known = store.commits.newestEntry
  let newest = known
  for (let after = known; ; after = newest) {
    const found = await store.list(`${LOG}/`, {
      ...(after > 0 ? { after: logEntryKey(after).slice(LOG.length + 1) } : {}),
      limit: 1000,
    })
    const last = found.at(-1)
    if (last !== undefined) newest = Number(last)
    if (found.length < 1000) break
  }
  if (newest > known) store.commits.noteEntry(newest)
  return newest
}

/** Returns the sequence number of the oldest entry minus one; 0 if the log is empty. */
export async function entryBeforeOldest(store: Store): Promise<number> {
  const [oldest] = await store.list(`${LOG}/`, { limit: 1 })
  return oldest === undefined ? 0 : Number(oldest) - 1
}
