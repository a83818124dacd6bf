/** Commits log records of the primary on a secondary. Small records share a commit. The changes of one record are never split. */
import { SHARED_ITEM } from '../../../core/access/lease/end-lease.ts'
import { POLICY } from '../../../core/access/policies.ts'
import { EMPTY } from '../../../core/base/bytes.ts'
import { SLICE_BYTES } from '../../../core/base/steps.ts'
import { MOUNT } from '../../../core/contract/mount-record.ts'
import { decodeRecord, withFormat } from '../../../core/contract/record-kind.ts'
import { PURGE } from '../../../core/mount/purge.ts'
import { MAX_COMMIT_OPS } from '../../../core/storage/max-commit-ops.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { CommitOptions } from '../../../core/transaction/committer.ts'
import { CORE, coreRecordKey } from '../../../core/transaction/core-key.ts'
import { dueKey } from '../../../core/transaction/due-entry.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { NAMESPACE_JOB, POLICY_JOB } from '../../jobs.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS } from '../filters/secondary-scopes.ts'
import { CHECKPOINT_INTERVAL } from '../log/tree-updater.ts'
import type { SentOp, SentRecord } from '../serve/fetch.ts'
import { epochAt, type History } from '../state/history.ts'
import type { ReplicaProgress } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'

const POLICY_KEYS = /* @__PURE__ */ coreRecordKey(POLICY, '')

/**
 * A change to a record with one of these key prefixes can create background work on this cluster. Scheduling the work needs one more operation
 * in the commit.
 */
const CLEANUP_PREFIXES = [MOUNT_KEYS, NAMESPACE_KEYS, POLICY_KEYS]

/** The maximum total size of the values in a commit of several records. A single larger record still is one commit. */
const MAX_COMMIT_BYTES = 1_048_576

/** The stored progress of a secondary, with the version of its record. */
export interface StoredProgress {
  readonly progress: ReplicaProgress
  readonly version: number
}

/**
 * Another kernel of this cluster now follows the primary or has changed the stored progress. The caller must read the progress again and
 * start over.
 */
export class StaleClaimError extends Error {}

/** Stores the progress of this cluster in a commit that contains no records of the primary. @throws StaleClaimError. */
export async function storeProgress(
  { store, kind }: SetHost,
  next: ReplicaProgress,
  { version }: Pick<StoredProgress, 'version'>,
  fence: Fence,
): Promise<void> {
  const { ok } = await store.commit([kind.replicaProgress.put(store, next, version), ...checksOf([fence])])
  if (!ok) throw new StaleClaimError()
}

/** Groups records that share a commit. The first record at or after a checkpoint index always begins a new group. */
export function* groupByCommit(records: readonly SentRecord[]): Generator<readonly SentRecord[]> {
  let group: SentRecord[] = []
  let ops = 0
  let bytes = 0
  for (const record of records) {
    const [more, size] = [opCount(record), record.ops.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)]
    const last = group.at(-1)
    const crosses = last && Math.floor(record.index / CHECKPOINT_INTERVAL) > Math.floor(last.index / CHECKPOINT_INTERVAL)
    if (last && (crosses || ops + more > MAX_COMMIT_OPS || bytes + size > MAX_COMMIT_BYTES)) {
      yield group
      ;[group, ops, bytes] = [[], 0, 0]
    }
    group.push(record)
    ops += more
    bytes += size
  }
  if (group.length > 0) yield group
}

const opCount = ({ ops, guards }: SentRecord): number =>
  ops.length + guards.length + ops.filter(({ key }) => CLEANUP_PREFIXES.some((prefix) => key.startsWith(prefix))).length

/**
 * Commits records together with the progress of this cluster.
 *
 * @param to The index up to which this cluster has all records after the commit.
 * @throws StaleClaimError.
 */
export async function applyRecords(
  host: SetHost,
  history: History,
  records: readonly SentRecord[],
  to: number,
  { progress, version }: StoredProgress,
  fence: Fence,
): Promise<StoredProgress> {
  const served = records.findLast((record) => record.served)?.served
  const next: ReplicaProgress = { ...progress, applied: to, ...(served ? { served } : {}) }
  const ops = [...(await opsOf(host, records)), host.kind.replicaProgress.put(host.store, next, version), ...checksOf([fence])]
  const at = { epoch: epochAt(history, to), index: to }
  const applies = host.kind === DR ? { upstream: served, dr: at } : { upstream: at }
  return { progress: next, version: await commitReplicated(host, ops, applies) }
}

/** Commits changes that the primary sent, and updates the caches. @throws StaleClaimError after a conflict. */
export async function commitReplicated(
  host: SetHost,
  ops: readonly Op[],
  applies: NonNullable<CommitOptions['applies']>,
): Promise<number> {
  const verdict = await host.store.commit(ops, { applies })
  if (!verdict.ok) throw new StaleClaimError()
  const { freshness } = host
  const { revision } = verdict
  // If others may write to the store, revisions are applied in order, so the storage has already reported this commit.
  if (freshness.isShared && freshness.applied >= revision) return revision
  const keys = ops.flatMap((op) => ('key' in op && op.op !== 'check' ? [op.key] : []))
  freshness.onOwnCommit({ revision, keys })
  return revision
}

/**
 * Returns the operations that apply records in one commit. A commit may contain each key only once, so only the last change of a key is kept.
 */
async function opsOf(host: SetHost, records: readonly SentRecord[]): Promise<readonly Op[]> {
  const changes = new Map<string, SentOp>()
  const guards = new Set<string>()
  for (const record of records) {
    for (const op of record.ops) changes.set(op.key, op)
    for (const guard of record.guards) guards.add(guard)
  }
  const ops: Op[] = []
  for (const { key, value } of changes.values()) ops.push(await recordOp(host, key, value))
  for (const guard of guards) ops.push(guardOp(host, guard))
  for (const op of changes.values()) ops.push(...cleanupOps(host, op))
  return ops
}

/**
 * Returns the operations that schedule the background work that a change requires on this cluster. If a mount or namespace was removed, the
 * work deletes the local records that this cluster has in that mount or namespace. If a mount is being removed, the work ends the leases that
 * this cluster has issued below the mount. If a policy expires, the work deletes the policy, but only after this cluster was promoted.
 */
export function cleanupOps(host: SetHost, op: SentOp): readonly Op[] {
  // A DR secondary schedules no work of its own, because it also receives the scheduled work of its primary.
  if (host.kind === DR) return []
  if (op.key.startsWith(NAMESPACE_KEYS) && op.value === undefined)
    return [dueOp(host, 'housekeeping', CORE, `${NAMESPACE_JOB}/${op.key.slice(NAMESPACE_KEYS.length)}`)]
  if (op.key.startsWith(POLICY_KEYS) && op.value) {
    const { ends } = decodeRecord(POLICY, op.value)
    const id = `${POLICY_JOB}/${op.key.slice(POLICY_KEYS.length)}`
    return ends === undefined ? [] : [dueOp(host, 'housekeeping', CORE, id, ends)]
  }
  if (!op.key.startsWith(MOUNT_KEYS)) return []
  const mount = op.key.slice(MOUNT_KEYS.length)
  if (op.value === undefined) return [dueOp(host, 'housekeeping', mount, PURGE)]
  return decodeRecord(MOUNT, op.value).ending ? [dueOp(host, 'lease', CORE, SHARED_ITEM + mount)] : []
}

export async function recordOp({ store }: SetHost, key: string, value: Uint8Array | undefined): Promise<Op> {
  if (value === undefined) return { op: 'del', key }
  return value.length > SLICE_BYTES ? store.encryptedLongPut(key, value, undefined) : store.encryptedPut(key, value, undefined)
}

export const guardOp = ({ store }: SetHost, guard: string): Op => store.encryptedPut(guard, withFormat(1, EMPTY), undefined)

const dueOp = ({ store, clock }: SetHost, lane: 'housekeeping' | 'lease', place: string, id: string, at = clock.now()): Op =>
  store.encryptedPut(dueKey('l', lane, at, place, id), withFormat(1, EMPTY), undefined)
