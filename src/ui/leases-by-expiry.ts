/** Lists leases in the order in which they expire. */
import { LEASE_ITEM } from '../core/access/lease/end-lease.ts'
import { isTokenLease, LEASE_RECORD, pathOf } from '../core/access/lease/lease.ts'
import { rfc3339 } from '../core/base/clock.ts'
import { decodeRecord } from '../core/contract/record-kind.ts'
import { laneEntries } from '../core/due/lane-entries.ts'
import type { KernelInternals } from '../core/kernel/assemble.ts'
import { internalsOf } from '../core/kernel/kernel-internals.ts'
import { coreRecordKey } from '../core/transaction/core-key.ts'

/** A lease of a secret. Leases of tokens are not listed. */
interface LeaseLine {
  /** The lease id without the suffix of the namespace. */
  readonly lease_id: string
  /** The path of the namespace; empty for the root namespace. */
  readonly namespace: string
  /** `live`; `ending` if its secret must still be revoked; `irrevocable` if revocation has failed. */
  readonly state: 'live' | 'ending' | 'irrevocable'
  /** RFC 3339. */
  readonly issue_time: string
  /** RFC 3339. */
  readonly expire_time: string
  readonly renewable: boolean
  /** How often revocation has failed. */
  readonly attempts: number
}

interface LeasePage {
  readonly leases: readonly LeaseLine[]
  /** Pass it as `after` to get the next page; absent on the last page. */
  readonly next?: string
}

const PAGE = 100

/**
 * Reads a page of the due index, which has an entry for each lease at the time of its expiry, or at the time of the next attempt to revoke
 * it. So a page costs the same in a store of any size.
 * @throws TypeError if `kernel` is not a kernel; KernelError 503 if it is sealed.
 */
export async function leasesByExpiry(kernel: object, after?: string): Promise<LeasePage> {
  const internals = internalsOf(kernel)
  const { gate, host } = internals
  gate.check()
  const entries = await laneEntries(host.store, 'lease', PAGE, after)
  const keys = entries.filter(({ id }) => id.startsWith(LEASE_ITEM)).map(({ id }) => id.slice(LEASE_ITEM.length))
  const records = await host.store.getMany(keys.map((key) => coreRecordKey(LEASE_RECORD, key)))
  const leases = keys.flatMap((key, at) => lineOf(internals, key, records[at]?.value))
  const last = entries.length === PAGE ? entries.at(-1) : undefined
  return { leases, ...(last && { next: last.name }) }
}

function lineOf({ topology }: KernelInternals, key: string, stored: unknown): LeaseLine[] {
  const lease = stored instanceof Uint8Array ? decodeRecord(LEASE_RECORD, stored) : undefined
  const namespace = topology.namespaces.byUuid(key.slice(0, key.indexOf('/')))
  // The lease or its namespace was removed after the index was read.
  if (!lease || !namespace || isTokenLease(lease)) return []
  const { state, issued, expires, renewable, attempts } = lease
  return [
    {
      lease_id: pathOf(key),
      namespace: namespace.path,
      state,
      issue_time: rfc3339(issued),
      expire_time: rfc3339(expires),
      renewable,
      attempts,
    },
  ]
}
