/**
 * Reserves one block of uses. The commit fails if the counter, the counted key version or the counts reported by other clusters have
 * changed.
 */
import { notFound } from '../base/errors.ts'
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
import type { Store } from './store.ts'

export const MAX_BLOCK_USES = 2 ** 20

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
  readonly minUses: number
  readonly size: number
  readonly fences: readonly Fence[]
}

/** Returns undefined after a conflict. @throws KernelError 400 if the key version no longer exists. */
export async function reserveBlock(
  store: Store,
  counter: BlockOwner,
  { minUses, size, fences }: BlockRequest,
): Promise<ReservedBlock | undefined> {
  const requested = Math.max(size, minUses)
  const sharedKey = hasSharedCount(counter.parent) ? [sharedCountKey(counter.parent)] : []
  // A cluster that was never in a replication set reads the shared count only when its own count is high enough to be shared.
  const isMember = (await store.commits.ensureRole()).era > 0
  const keys = [counter.key, ...(isMember ? sharedKey : [])]
  const [[record, found], [parent = 0]] = await Promise.all([store.getMany(keys), store.versions([counter.parent])])
  if (parent === 0) throw notFound('key_version: no such key version', 400)
  const stored = record ? counter.decode(record.value) : { count: 0 }
  const isNowShared = !isMember && stored.count + requested >= MIN_SHARED_USES
  const [shared] = isNowShared ? await store.getMany(sharedKey) : [found]
  const reported = shared && decodeRecord(SHARED_COUNT, shared.value)
  // Read the role last: no other code runs between this read and the commit, and the commit fails if the role record has changed.
  const { gaps = 0 } = store.commits.role
  const ownUses = Math.max(stored.count, reported?.floor ?? 0) + ((stored.gaps ?? 0) < gaps ? MAX_BLOCK_USES : 0)
  const others = usesByOtherClusters(reported)
  const n = Math.min(requested, counter.kind.limit - ownUses - others)
  if (n <= 0) return { n: 0, count: stored.count, usesByOthers: others, revision: 0 }
  const count = ownUses + n
  const verdict = await store.commit([
    store.encryptedPut(counter.key, counter.encode(count, gaps), record?.version ?? 0),
    { op: 'check', key: counter.parent, expect: parent },
    ...(isMember || isNowShared ? sharedKey : []).map((key) => sharedOp(store, key, count, reported, shared?.version ?? 0)),
    ...checksOf(fences),
  ])
  return verdict.ok ? { n, count, usesByOthers: others, revision: verdict.revision } : undefined
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
