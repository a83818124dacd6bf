import { rfc3339 } from '../base/clock.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import type { KeyCacheUse } from '../crypto/key-cache.ts'
import { laneEntries } from '../due/lane-entries.ts'
import type { KernelState } from '../exchange/gate.ts'
import type { RecordCacheUse } from '../transaction/cache.ts'
import type { ShownFailure } from '../transaction/failures.ts'
import type { KernelInternals } from './assemble.ts'
import type { ReplicationLag } from './background-services.ts'

/** A claim: the permission for one process to do the background work of one lane in one mount. */
export interface ClaimStatus {
  /** The name of the lane: `rotation`, `revocation`, `lease`, `housekeeping`, ... */
  readonly lane: string
  /** The UUID of the mount; `core` for the kernel's own records. */
  readonly mount: string
  /** The mount's path including its namespace: `team-a/transit/`. Absent for `core` and for a removed mount. */
  readonly path?: string
  /** The {@link KernelStatus.id} of the kernel that has the claim. The claim may still be stored after the kernel's process has stopped. */
  readonly owner: string
  /** When that kernel acquired the claim, in RFC 3339, by that kernel's clock. */
  readonly since: string
}

export interface LaneStatus {
  /** The name of the lane, a queue of background work, such as `rotation`. */
  readonly lane: string
  /** The number of items that are due now; 1,000 means 1,000 or more. */
  readonly due: number
  /**
   * The number of scheduled items, due or not; 1,000 means 1,000 or more. The lane `lease` has an item for each lease of a secret, and the
   * lane `revocation` for each token with a TTL.
   */
  readonly scheduled: number
  /** When the next item is or was due, in RFC 3339. Absent if there is no item. */
  readonly next_due_at?: string
}

export interface KernelStatus {
  /** The id of this kernel: random, and different for each kernel that shares the store. */
  readonly id: string
  /** `open`, `sealed`, `uninitialized` or `closed`. */
  readonly state: KernelState
  /** Whether other processes may write to the store. */
  readonly shared: boolean
  /** The storage of this kernel. */
  readonly storage: {
    /** Whether this kind of storage keeps acknowledged commits after a crash. */
    readonly durable: boolean
    /** Why commits may be lost although the storage is durable, such as a server setting that is off. Absent if no such risk is known. */
    readonly risk?: string
    /** Whether the store answers now. */
    readonly available: boolean
    /** Since when the store has not answered, in RFC 3339. */
    readonly unavailable_since?: string
  }
  /** All commits of all processes up to this revision have been applied to this kernel's caches. */
  readonly applied_revision: number
  /** The age of this kernel's caches. */
  readonly cache: {
    /** The configured limit in milliseconds. Caches that may be older are not used. */
    readonly stalenessMs: number
    /**
     * How many milliseconds the caches may lag behind the store now. Absent if that is unknown; the next request then asks the store. 0 if
     * no other process can write to the store.
     */
    readonly ageMs?: number
    /**
     * The number of cached key versions and their estimated memory, and how often this kernel found a key version in the cache or had to
     * load it. If `misses` keeps growing fast, raise the option `cache.keyBytes`.
     */
    readonly keys: KeyCacheUse
    /** The same for records, of all kinds and mounts together. */
    readonly records: RecordCacheUse
  }
  /** All claims in the store, of this kernel and of other kernels. Empty if the kernel is not unsealed or the store does not answer. */
  readonly claims: readonly ClaimStatus[]
  /** The background work that is due, by lane. Empty if the kernel is not unsealed or the store does not answer. */
  readonly due: readonly LaneStatus[]
  /**
   * Background work that failed in this process and that no process has completed since then: at most 100 items, the newest failure first.
   * Each failure was also published as an event `work.failed`.
   */
  readonly failed: readonly ShownFailure[]
  /** The replication sets of this cluster: none, one, or two. Empty if the kernel is not unsealed or the store does not answer. */
  readonly replication: readonly ReplicationLag[]
}

const MAX_COUNTED_ITEMS = 1000

export async function kernelStatusOf(internals: KernelInternals): Promise<KernelStatus> {
  const { gate, claims, host } = internals
  const { freshness, store } = host
  const { caps } = store.storage
  const available = await store.guard.check()
  const open = gate.state === 'open' && available
  const [held, due, failed, replication] = open
    ? await Promise.all([claimsOf(internals), dueOf(internals), host.failures.list(store), lagsOf(internals)])
    : [[], [], host.failures.known(), []]
  const { age } = freshness
  const { downSince: down } = store.guard
  return {
    id: claims.owner,
    state: gate.state,
    shared: caps.shared,
    storage: {
      durable: caps.durable,
      ...(caps.risk !== undefined && { risk: caps.risk }),
      available,
      ...(down !== undefined && { unavailable_since: rfc3339(down) }),
    },
    applied_revision: freshness.applied,
    cache: {
      stalenessMs: freshness.stalenessMs,
      ...(Number.isFinite(age) && { ageMs: age }),
      keys: host.keys.use,
      records: host.cache.use,
    },
    claims: held,
    due,
    failed,
    replication,
  }
}

async function claimsOf({ claims, topology }: KernelInternals): Promise<readonly ClaimStatus[]> {
  await topology.fresh()
  return (await claims.all()).map(({ lane, mount, owner, since }) => {
    const record = topology.holder(mount)?.record
    const namespace = record && topology.namespaces.byUuid(record.namespace)
    const path = namespace && { path: namespace.path + record.path }
    return { lane, mount, ...path, owner, since: rfc3339(since) }
  })
}

async function lagsOf({ backgroundServices }: KernelInternals): Promise<readonly ReplicationLag[]> {
  const found = await Promise.all([...backgroundServices].map(({ lag }) => lag?.()))
  return found.filter((lag) => lag !== undefined)
}

function dueOf({ host }: KernelInternals): Promise<readonly LaneStatus[]> {
  const count = async (lane: Lane): Promise<LaneStatus> => {
    const entries = await laneEntries(host.store, lane, MAX_COUNTED_ITEMS)
    const [next] = entries
    const now = host.clock.now()
    return {
      lane,
      due: entries.filter(({ at }) => at <= now).length,
      scheduled: entries.length,
      ...(next && { next_due_at: rfc3339(next.at) }),
    }
  }
  return Promise.all((Object.keys(LANES) as Lane[]).map(count))
}
