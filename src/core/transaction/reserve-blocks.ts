/**
 * Reserves blocks of uses. The commit fails if a counter, a counted key version or the counts reported by other clusters have changed.
 */
import { type KernelError, notFound } from '../base/errors.ts'
import type { Reserved } from '../contract/counter.ts'
import { decodeRecord, withFormat } from '../contract/record-kind.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { Fence } from './keyspace.ts'
import { checksOf } from './pending-writes.ts'
import {
  hasSharedCount,
  MIN_SHARED_USES,
  SHARED_COUNT,
  type SharedCount,
  sharedCountKey,
  usesByOtherClusters,
} from './shared-count.ts'
import type { DecryptedRecord, Store } from './store.ts'

export const MAX_BLOCK_USES = 2 ** 20

/** The maximum number of operations that a reservation adds to its commit. */
export const OPS_PER_RESERVATION = 3

export interface ReservedBlock {
  /** The number of reserved uses; 0 if the limit of uses is reached. */
  readonly n: number
  /** The number of uses that this cluster has made or reserved. */
  readonly count: number
  /** The number of uses that other clusters have reported. */
  readonly usesByOthers: number
  readonly revision: Revision
}

/** The counter for which a block is reserved. */
export interface BlockOwner {
  readonly key: string
  readonly parent: string
  readonly kind: { readonly limit: number }
  encode(count: number, gaps: number): Uint8Array
  decode(stored: Uint8Array): Reserved
}

export interface BlockRequest {
  readonly counter: BlockOwner
  /** The number of uses to reserve. */
  readonly size: number
}

/** The result of one request: undefined after a conflict, an error if the key version no longer exists. */
export type BlockResult = ReservedBlock | KernelError | undefined

/** The stored state of a counter. */
interface CounterState {
  readonly record: DecryptedRecord | undefined
  /** The version of the counted key version; 0 if that does not exist. */
  readonly parent: Revision
  /** The stored count and the number of gaps that it takes into account. */
  readonly stored: Reserved
  /** The counts of all clusters. Undefined if the commit need not depend on them. */
  readonly shared: { readonly key: string; readonly reported: DecryptedRecord | undefined } | undefined
}

/** Reserves a block for each of several counters of one keyspace, in one commit. */
export async function reserveBlocks(
  store: Store,
  requests: readonly BlockRequest[],
  fences: readonly Fence[],
): Promise<readonly BlockResult[]> {
  const states = await readStates(store, requests)
  // Read the role last: no other code runs between this read and the commit, and the commit fails if the role record has changed.
  const { gaps = 0 } = store.commits.role
  const ops: Op[] = []
  const results = requests.map((request, index) => planBlock(store, request, states[index] as CounterState, gaps, ops))
  if (ops.length === 0) return results
  const verdict = await store.commit([...ops, ...checksOf(fences)])
  return results.map((result) => {
    if (!('n' in result) || result.n === 0) return result
    return verdict.ok ? { ...result, revision: verdict.revision } : undefined
  })
}

async function readStates(store: Store, requests: readonly BlockRequest[]): Promise<readonly CounterState[]> {
  // A cluster that was never in a replication set reads the shared count only when its own count is high enough to be shared.
  const isMember = (await store.commits.ensureRole()).era > 0
  const counters = requests.map(({ counter }) => counter)
  const entries = await store.entries(counters.flatMap(({ key, parent }) => [key, parent]))
  const records = await store.decryptAll(counters.map((_, index) => entries[2 * index]))
  const states = requests.map(({ counter, size }, index) => {
    const record = records[index]
    const stored = record ? counter.decode(record.value) : { count: 0 }
    const isShared = hasSharedCount(counter.parent) && (isMember || stored.count + size >= MIN_SHARED_USES)
    const sharedKey = isShared ? sharedCountKey(counter.parent) : undefined
    return { record, parent: entries[2 * index + 1]?.version ?? 0, stored, sharedKey }
  })
  const sharedKeys = states.flatMap(({ sharedKey }) => sharedKey ?? [])
  const reported = sharedKeys.length > 0 ? await store.getMany(sharedKeys) : []
  let next = 0
  return states.map(({ sharedKey, ...state }) => ({
    ...state,
    shared: sharedKey === undefined ? undefined : { key: sharedKey, reported: reported[next++] },
  }))
}

/** Adds the operations that reserve the block to `ops`. */
function planBlock(
  store: Store,
  { counter, size }: BlockRequest,
  { record, parent, stored, shared }: CounterState,
  gaps: number,
  ops: Op[],
): ReservedBlock | KernelError {
  if (parent === 0) return notFound('key_version: no such key version', 400)
  const reported = shared?.reported && decodeRecord(SHARED_COUNT, shared.reported.value)
  const ownUses = Math.max(stored.count, reported?.floor ?? 0) + ((stored.gaps ?? 0) < gaps ? MAX_BLOCK_USES : 0)
  const usesByOthers = usesByOtherClusters(reported)
  const n = Math.max(0, Math.min(size, counter.kind.limit - ownUses - usesByOthers))
  if (n === 0) return { n, count: stored.count, usesByOthers, revision: 0 }
  const count = ownUses + n
  ops.push(store.encryptedPut(counter.key, counter.encode(count, gaps), record?.version ?? 0))
  ops.push({ op: 'check', key: counter.parent, expect: parent })
  if (shared) ops.push(sharedOp(store, shared.key, count, reported, shared.reported?.version ?? 0))
  return { n, count, usesByOthers, revision: 0 }
}

/**
 * Returns a storage operation that makes the commit fail if the shared count has changed. If this cluster's count is high enough to be
 * shared, the operation also updates the shared count.
 */
function sharedOp(store: Store, key: string, count: number, reported: SharedCount | undefined, version: Revision): Op {
  if (count < MIN_SHARED_USES) return { op: 'check', key, expect: version }
  const next: SharedCount = { others: {}, ...reported, own: Math.max(reported?.own ?? 0, count) }
  return store.encryptedPut(key, withFormat(SHARED_COUNT.format, SHARED_COUNT.encode(next)), version)
}
