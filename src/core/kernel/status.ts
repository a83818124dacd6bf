/**
 * The state of a kernel among those that share its store.
 */
import { rfc3339 } from '../base/clock.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { laneEntries } from '../due/lane-entries.ts'
import type { KernelState } from '../exchange/gate.ts'
import type { ShownFailure } from '../transaction/failures.ts'
import type { KernelInternals } from './assemble.ts'

/** Background work of one kind in one mount, which only the claim's holder does. */
export interface ClaimStatus {
  /** The kind of work: `rotation`, `revocation`, `lease`, `housekeeping`. */
  readonly lane: string
  /** UUID of the mount; `core` for the kernel's own records. */
  readonly mount: string
  /** The mount's path, with its namespace: `team-a/transit/`. Absent for `core` and for a mount that is gone. */
  readonly path?: string
  /** The {@link KernelStatus.id} of the kernel that holds the claim, or held it when its process ended. */
  readonly owner: string
  /** RFC 3339, by the holder's clock. */
  readonly since: string
}

export interface LaneStatus {
  /** The kind of work, such as `rotation`. */
  readonly lane: string
  /** Items that are due now; 1,000 stands for that many or more. */
  readonly due: number
  /** RFC 3339: when the next item is or was due. Absent when there is none. */
  readonly next_due_at?: string
}

export interface KernelStatus {
  /** Names this kernel among all that share the store. Random, and different each time a kernel is made. */
  readonly id: string
  /** The state of this kernel. */
  readonly state: KernelState
  /** Whether others may write to the same store. */
  readonly shared: boolean
  /** The guarantees of the storage. */
  readonly storage: {
    /** Whether acknowledged commits survive a crash, by the kind of storage. */
    readonly durable: boolean
    /** Why they may be lost all the same, such as a server setting that is off. Absent where no risk is known. */
    readonly risk?: string
    /** Whether the store answers, asked now. */
    readonly available: boolean
    /** RFC 3339: since when it is known not to answer. */
    readonly unavailable_since?: string
  }
  /** Every commit up to this revision, by any process, has reached this kernel's memory. */
  readonly applied_revision: number
  /** The age of this kernel's in-memory state. */
  readonly cache: {
    /** The bound in milliseconds: nothing older is acted on. */
    readonly stalenessMs: number
    /**
     * Milliseconds that the in-memory state may be behind the store now. Absent where that is unknown: the next request asks. 0 where
     * nobody else writes.
     */
    readonly ageMs?: number
  }
  /** All claims on the store, of this kernel and of others. None while the kernel is not open or the store does not answer. */
  readonly claims: readonly ClaimStatus[]
  /** Due work, by lane. None while the kernel is not open or the store does not answer. */
  readonly due: readonly LaneStatus[]
  /**
   * Background work that failed in this process and that no process has done since: the newest failure first, at most 100. Each was an event
   * `work.failed`.
   */
  readonly failed: readonly ShownFailure[]
}

const MAX_COUNTED_ITEMS = 1000

export async function statusOf(insides: KernelInternals): Promise<KernelStatus> {
  const { gate, claims, host } = insides
  const { freshness, store } = host
  const { caps } = store.storage
  const available = await store.guard.check()
  const open = gate.state === 'open' && available
  const [held, due, failed] = open
    ? await Promise.all([claimsOf(insides), dueOf(insides), host.failures.list(store)])
    : [[], [], host.failures.known()]
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
    cache: { stalenessMs: freshness.bound, ...(Number.isFinite(age) && { ageMs: age }) },
    claims: held,
    due,
    failed,
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

function dueOf({ host }: KernelInternals): Promise<readonly LaneStatus[]> {
  const count = async (lane: Lane): Promise<LaneStatus> => {
    const entries = await laneEntries(host.store, lane, MAX_COUNTED_ITEMS)
    const [next] = entries
    const now = host.clock.now()
    return { lane, due: entries.filter(({ at }) => at <= now).length, ...(next && { next_due_at: rfc3339(next.at) }) }
  }
  return Promise.all((Object.keys(LANES) as Lane[]).map(count))
}
