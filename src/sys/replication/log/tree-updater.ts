/**
 * Folds the log into the Merkle tree, that is, applies the log entries to it. Writers do not wait for this. Only one kernel of the cluster
 * writes the tree: the one that holds the claim on the replication work.
 */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import { SLICE_BYTES } from '../../../core/base/steps.ts'
import { MAX_COMMIT_OPS } from '../../../core/storage/max-commit-ops.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { type History, originAt, setIndexOf } from '../state/history.ts'
import { RecordSlot, type TreeProgress } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import { fold, type TreeChange } from '../tree/fold.ts'
import { HASH_BYTES, type RecordWrite } from '../tree/geometry.ts'
import type { Roots } from '../tree/stored-tree.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import type { DomainRoots } from './domain-roots.ts'
import { isReplicatedFrame, isReplicatedOp, LOG_PAGE_ENTRIES, type LoggedFrame, readLog } from './log-pages.ts'

/**
 * The maximum number of tree records in one commit. The commit may also contain the tree progress, a checkpoint and the check that this
 * kernel still holds the claim.
 */
const MAX_TREE_RECORDS = MAX_COMMIT_OPS - 4

/** All clusters store their Merkle root (a checkpoint) when the index reaches a multiple of this number, so that roots can be compared. */
export const CHECKPOINT_INTERVAL = 256

export interface TreeUpdaterParts {
  readonly host: SetHost
  readonly keys: TreeKeys
  readonly roots: DomainRoots
  readonly history: () => History
  /**
   * Returns two log indexes. `from`: the data is a consistent state of the primary only at indexes from this one on, because earlier the
   * secondary was still copying. `applied`: the index up to which this secondary has applied records; 0 on a primary. Returns undefined while
   * the data is inconsistent.
   */
  readonly consistency: () => Promise<{ readonly from: number; readonly applied: number } | undefined>
}

/** The Merkle root at a log position. */
export interface Checkpoint {
  readonly index: number
  readonly root: string
  /** The origin of the epoch that the index belongs to, because another epoch may have the same index. */
  readonly origin: string
}

export const checkpointSlot = ({ checkpoints }: ReplicationKind, index: number): RecordSlot<Checkpoint> =>
  new RecordSlot(checkpoints + String(index).padStart(16, '0'))

/** Returns the index of a log record in the performance set or the DR set, according to `kind`; undefined if it has no index in that set. */
export function positionOf(kind: ReplicationKind, frame: LoggedFrame, history: History): number | undefined {
  const place = kind.placeOf(frame)
  if (!place) return undefined
  return 'index' in place ? place.index : setIndexOf(history, place, frame.entry)
}

/**
 * `level`: the tree contains the whole log. `more`: the log may contain more frames to fold. `lost`: the commit conflicted, because another
 * kernel maintains the tree. `gap`: the tree must be rebuilt.
 */
export type FoldOutcome = 'level' | 'more' | 'lost' | 'gap'

export class TreeUpdater {
  readonly #parts: TreeUpdaterParts

  constructor(parts: TreeUpdaterParts) {
    this.#parts = parts
  }

  /** Applies to the tree as many log entries as fit into one commit. */
  async foldOnce(fence: Fence): Promise<FoldOutcome> {
    const { host, history, roots } = this.#parts
    const { value: treeProgress, version } = await host.kind.treeProgress.read(host.store)
    if (!treeProgress || treeProgress.building) return 'gap'
    // Read the applied index before the log. The log that is read next then contains all records up to that index.
    const sound = await this.#parts.consistency()
    const frames = await readLog(host.store, treeProgress.entry)
    if (!frames) return 'gap'
    const whole = frames.slice(0, untilCheckpoint(host.kind, frames, treeProgress.index, history()))
    if (whole.length === 0) return this.#noteCheckpoint(treeProgress, version, sound?.applied, fence)
    const done = await this.#fold(whole, treeProgress, version).catch((error: unknown) => {
      if (!isDamage(error)) throw error
    })
    if (!done) return 'gap'
    const index = done.frames.reduce((at, frame) => positionOf(host.kind, frame, history()) ?? at, treeProgress.index)
    const replicated = lastReplicated(host.kind, done.frames, history())
    const next: TreeProgress = {
      ...treeProgress,
      ...(replicated === undefined ? {} : { replicated }),
      entry: done.frames.at(-1)?.entry ?? treeProgress.entry,
      partialOps: done.partialOps,
      index,
      bytes: treeProgress.bytes + done.frames.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(done.roots ? { root: roots.rootOver(done.roots) } : {}),
    }
    const isSound = done.partialOps === 0 && next.entry >= next.validFrom && sound !== undefined && index >= sound.from
    const isLevel = done.frames.length === frames.length && frames.length < LOG_PAGE_ENTRIES
    const notes = isSound && index !== treeProgress.index && (isLevel || isCheckpoint(index, treeProgress.index))
    const verdict = await host.store.commit([
      ...treeOps(host, done.records),
      host.kind.treeProgress.put(host.store, next, version),
      ...(notes
        ? [checkpointSlot(host.kind, index).put(host.store, { index, root: next.root, origin: originAt(history(), index) })]
        : []),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return 'lost'
    if (done.roots) roots.set(done.roots, verdict.revision)
    else roots.carryOver(version, verdict.revision)
    return 'more'
  }

  /** Applies log frames to the tree and computes the new roots. */
  async #fold(
    frames: readonly LoggedFrame[],
    treeProgress: TreeProgress,
    version: number,
  ): Promise<FoldedFrames & { readonly roots?: Roots }> {
    const done = await foldFrames(this.#parts, frames, treeProgress.partialOps)
    return done.records.length > 0 ? { ...done, roots: await this.#parts.roots.after(done.records, treeProgress, version) } : done
  }

  /**
   * Stores a checkpoint if the log contains nothing to fold. It is needed in two cases. The index of a secondary can advance without a log
   * entry, by records that contain no change for it. And a Merkle sync can change the root without changing the index.
   */
  async #noteCheckpoint(
    treeProgress: TreeProgress,
    version: number,
    applied: number | undefined,
    fence: Fence,
  ): Promise<FoldOutcome> {
    const { store, kind } = this.#parts.host
    if (applied === undefined || applied < treeProgress.index || treeProgress.entry < treeProgress.validFrom) return 'level'
    const noted = checkpointSlot(kind, applied)
    if (applied === treeProgress.index) {
      const { value } = await noted.read(store)
      if (!value || value.root === treeProgress.root) return 'level'
    }
    const verdict = await store.commit([
      kind.treeProgress.put(store, { ...treeProgress, index: applied }, version),
      noted.put(store, { index: applied, root: treeProgress.root, origin: originAt(this.#parts.history(), applied) }),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return 'lost'
    this.#parts.roots.carryOver(version, verdict.revision)
    return 'level'
  }
}

function lastReplicated(kind: ReplicationKind, frames: readonly LoggedFrame[], history: History): number | undefined {
  const last = frames.findLast((frame) => isReplicatedFrame(kind, frame))
  return last && positionOf(kind, last, history)
}

const isCheckpoint = (index: number, before: number): boolean =>
  Math.floor(index / CHECKPOINT_INTERVAL) > Math.floor(before / CHECKPOINT_INTERVAL)

/** Returns the number of frames up to and including the first one that reaches the next checkpoint index. */
function untilCheckpoint(kind: ReplicationKind, frames: readonly LoggedFrame[], before: number, history: History): number {
  let at = before
  for (const [n, frame] of frames.entries()) {
    const index = positionOf(kind, frame, history) ?? at
    if (isCheckpoint(index, at)) return n + 1
    at = index
  }
  return frames.length
}

interface FoldedFrames {
  readonly records: readonly RecordWrite[]
  readonly frames: readonly LoggedFrame[]
  /** The number of changes of the next frame that were already applied to the tree. */
  readonly partialOps: number
}

/** Applies to the tree as many whole frames as fit into one commit. If not even the first frame fits, applies a part of it. */
async function foldFrames(
  { host, keys }: TreeUpdaterParts,
  frames: readonly LoggedFrame[],
  within: number,
): Promise<FoldedFrames> {
  const folding = { ...treeIn(host), keys, domainOf: host.kind.domainOf }
  const all: TreeChange[] = []
  const ends: number[] = []
  for (const [n, frame] of frames.entries()) {
    const changes = await changesOf(host, keys, frame)
    all.push(...(n === 0 ? changes.slice(within) : changes))
    ends.push(all.length)
  }
  const { records, took } = await fold(folding, all, MAX_TREE_RECORDS)
  const whole = ends.filter((end) => end <= took).length
  const used = whole > 0 ? (ends[whole - 1] as number) : took
  const written = used === took ? records : (await fold(folding, all.slice(0, used), MAX_TREE_RECORDS)).records
  return { records: written, frames: frames.slice(0, whole), partialOps: whole > 0 ? 0 : within + used }
}

async function changesOf(host: SetHost, keys: TreeKeys, { ops }: LoggedFrame): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = []
  for (const op of ops) {
    if (!isReplicatedOp(host.kind, op)) continue
    changes.push({ key: op.key, leaf: op.op === 'put' ? await leafOf(host, keys, op.key, op.value) : undefined })
  }
  return changes
}

/** Returns the leaf of a stored value. */
async function leafOf({ store }: SetHost, keys: TreeKeys, key: string, stored: Uint8Array): Promise<Uint8Array> {
  const [opened] = await store.decryptAll([{ key, value: stored, version: 0 }])
  const value = (opened as NonNullable<typeof opened>).value
  try {
    return value.length > SLICE_BYTES ? await store.drive(keys.leafSteps(key, value)) : keys.leafOf(key, value)
  } finally {
    value.fill(0)
  }
}

/** Returns the leaf of a record. For a record that cannot be decrypted, returns a fixed leaf, which differs from every other leaf. */
export function leafOrUnreadable(host: SetHost, keys: TreeKeys, key: string, stored: Uint8Array): Promise<Uint8Array> {
  return leafOf(host, keys, key, stored).catch((error: unknown) => {
    if (!isDamage(error)) throw error
    return new Uint8Array(HASH_BYTES).fill(255)
  })
}
