/**
 * Merkle sync: compares the Merkle tree of this cluster with that of the primary, and copies the records that differ.
 *
 * The primary's data can change during the comparison, so its log position is read first. The log after that position contains all later
 * changes, and the comparison finds all other differences.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { MountRecord } from '../../../core/contract/mount-record.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import type { SentOp } from '../serve/fetch.ts'
import { MAX_WANTED_VALUES } from '../serve/values.ts'
import { deleteBelow } from '../state/delete-below.ts'
import type { ReplicaProgress } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { compareTrees } from '../tree/diff/compare-trees.ts'
import type { WantedRecord } from '../tree/diff/difference.ts'
import { bytesMember, indexIn, listOf, objectOf, stringMember } from '../wire/message-members.ts'
import { logIndexIn } from '../wire/read-messages.ts'
import { StaleClaimError } from './apply-records.ts'
import { clearLocalRecords, clearStrayGuards } from './container-records.ts'
import { DifferenceApplier } from './difference-applier.ts'
import { isBuiltInRootMount } from './exchange-mounts.ts'
import type { FollowRules } from './follow-rules.ts'
import type { PrimaryClient } from './primary-client.ts'
import type { PrimaryState } from './primary-state.ts'
import { readOp, readPerformancePosition } from './read-records.ts'

export interface SyncParts {
  readonly host: SetHost
  readonly rules: FollowRules
  readonly follower: PrimaryClient
  readonly fence: Fence
  readonly signal: AbortSignal
  /** Applies the entries of this cluster's log to its Merkle tree. Returns false if that is not possible now. */
  readonly foldLog: () => Promise<boolean>
  /** Removes the entries that this cluster's log has at this time. Returns false if the log cannot be cleared now. */
  readonly forgetLog: () => Promise<boolean>
  /** Revokes the leases that this cluster issued below a mount that is about to be removed. */
  readonly revokeLeases: (mount: MountRecord, fence: Fence) => Promise<void>
  /** Returns the mounts in the root namespace of this cluster. */
  readonly rootMounts: () => Promise<readonly MountRecord[]>
  /** The primary's answer to the last hello. */
  readonly primaryState: PrimaryState
}

/** @throws StaleClaimError if another kernel of this cluster now follows the primary, or if the sync must start over for another reason. */
export async function synchronize(parts: SyncParts): Promise<void> {
  const { host, follower, fence } = parts
  const fences = [fence, host.store.commits.roleFence]
  follower.state = 'merkle-diff'
  follower.progress = { done: 0, total: null }
  // Apply the log to the tree first. Entries that are missing in the tree would look like differences.
  if (!(await parts.foldLog())) throw new StaleClaimError()
  const position = await follower.ask({ kind: 'pin' }, parts.signal)
  const since = logIndexIn(position, 'index', follower.now())
  if (position['ready'] !== true) throw new KernelError('ERR_UNAVAILABLE', 'the primary is still building its Merkle tree')
  await updateProgress(parts, (now) => ({ ...now, differs: true, consistentFrom: null }))
  // With a path filter, delete the checkpoints, which are stored Merkle roots: they were computed from data that was filtered differently.
  const { value: begun } = await host.kind.replicaProgress.read(host.store)
  const isOfView = !begun?.partial && !parts.primaryState.partial
  if (!isOfView && !(await deleteBelow(host, host.kind.checkpoints, { also: checksOf(fences) }))) throw new StaleClaimError()
  const applier = new DifferenceApplier(host, fences, (await parts.rootMounts()).filter(isBuiltInRootMount))
  let found = 0
  const ask = async (request: Uint8Array): Promise<Uint8Array> =>
    bytesMember(await follower.ask({ kind: 'tree', request }, parts.signal), 'reply', MAX_REPLY_BYTES)
  for await (const { fetch: wanted, delete: missing, gone } of compareTrees(treeIn(host), ask)) {
    follower.state = 'merkle-sync'
    // A DR secondary leaves the cleanup of a removed mount to its primary, because that cleanup is replicated.
    if (gone && host.kind !== DR) await removeContainers(parts, fences, gone, applier)
    found += wanted.length + missing.length
    for (const key of missing) await applier.add({ key })
    await fetchAll(parts, wanted, applier)
    follower.progress = { done: applier.done, total: found }
  }
  await applier.finish()
  const { view, partial } = parts.primaryState
  const later = await follower.hello(parts.signal)
  // If another primary has answered this hello, the comparison with the first primary is useless.
  if (later.history.at(-1)?.origin !== parts.primaryState.history.at(-1)?.origin) throw new StaleClaimError()
  // Check `later` too: a filter that was set during the comparison may have removed mounts or namespaces as well.
  if (partial || later.partial) await forgetRemoved(parts, fences)
  const performancePart =
    position['served'] === undefined ? {} : { served: readPerformancePosition(position['served'], follower.now()) }
  await updateProgress(parts, ({ removing: _, partial: __, ...now }) => ({
    ...now,
    applied: since,
    differs: false,
    consistentFrom: later.head,
    view,
    ...(partial ? { partial } : {}),
    ...performancePart,
  }))
}

/** Deletes mount and namespace records before their data, so that requests are no longer routed to these mounts and namespaces. */
async function removeContainers(
  parts: SyncParts,
  fences: readonly Fence[],
  domains: readonly string[],
  applier: DifferenceApplier,
): Promise<void> {
  await updateProgress(parts, (now) => ({ ...now, removing: true }))
  applier.skipGuardsOf(domains)
  const { keys, mounts } = await parts.rules.containerRecordsOf(parts.host, domains)
  for (const mount of mounts) await parts.revokeLeases(mount, parts.fence)
  for (const key of keys) await applier.addNow({ key })
  await applier.flush()
  for (const mount of mounts) if (!(await clearLocalRecords(parts.host, mount, fences))) throw new StaleClaimError()
}

/** Removes what remains of removed mounts and namespaces: their guards, and the log entries that contain the deleted values. */
async function forgetRemoved({ host, forgetLog }: SyncParts, fences: readonly Fence[]): Promise<void> {
  const { value } = await host.kind.replicaProgress.read(host.store)
  if (value?.removing && !((await clearStrayGuards(host, fences)) && (await forgetLog()))) throw new StaleClaimError()
}

const MAX_REPLY_BYTES = 262_144

async function updateProgress(
  { host, rules, fence }: SyncParts,
  change: (now: ReplicaProgress) => ReplicaProgress,
): Promise<void> {
  const { value, version } = await host.kind.replicaProgress.read(host.store)
  if (!value) throw new StaleClaimError()
  await rules.storeProgress(host, change(value), { version }, fence)
}

async function fetchAll(parts: SyncParts, wanted: readonly WantedRecord[], applier: DifferenceApplier): Promise<void> {
  for (let from = 0; from < wanted.length; from += MAX_WANTED_VALUES) {
    let left = wanted.slice(from, from + MAX_WANTED_VALUES)
    while (left.length > 0) {
      const { records, took } = await valuesOf(parts, left)
      for (const record of records) await applier.add(record)
      if (took === 0) throw new KernelError('ERR_UPSTREAM', 'the primary sent no value')
      left = left.slice(took)
    }
  }
}

async function valuesOf(
  { follower, signal }: SyncParts,
  left: readonly WantedRecord[],
): Promise<{ readonly records: readonly SentOp[]; readonly took: number }> {
  const wanted = left.map(({ domain, hash }) => ({ domain, hash }))
  const answer = await follower.ask({ kind: 'values', wanted, offset: 0 }, signal)
  const records = listOf(answer, 'records', MAX_WANTED_VALUES).map((item) => readOp(follower.kind, objectOf(item, 'record')))
  const took = indexIn(answer, 'took')
  if (answer['piece'] === undefined) return { records, took }
  const piece = objectOf(answer['piece'], 'piece')
  return { records: [...records, await wholeOf(piece, wanted[took - 1], follower, signal)], took }
}

/**
 * Fetches a value in pieces. If the value changes on the primary meanwhile, the result is a mixture of both values. It is overwritten soon,
 * because the log that is applied after the sync contains the change.
 */
async function wholeOf(
  first: ReturnType<typeof objectOf>,
  wanted: { readonly domain: string; readonly hash: Uint8Array } | undefined,
  follower: PrimaryClient,
  signal: AbortSignal,
): Promise<SentOp> {
  const key = stringMember(first, 'key')
  const total = indexIn(first, 'total')
  if (total > MAX_VALUE_BYTES) throw new KernelError('ERR_UPSTREAM', 'the primary sent a value that is too large')
  const value = new Uint8Array(total)
  for (let [piece, offset] = [first, 0]; ; ) {
    const bytes = bytesMember(piece, 'bytes', MAX_VALUE_BYTES)
    if (bytes.length === 0 || indexIn(piece, 'total') !== total || offset + bytes.length > total) throw new StaleClaimError()
    value.set(bytes, offset)
    offset += bytes.length
    if (offset === total) return readOp(follower.kind, { key, value })
    const answer = await follower.ask({ kind: 'values', wanted: [wanted], offset }, signal)
    if (answer['piece'] === undefined) throw new StaleClaimError()
    piece = objectOf(answer['piece'], 'piece')
  }
}

const MAX_VALUE_BYTES = 268_435_456
