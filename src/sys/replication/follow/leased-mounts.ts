import { MOUNT_LEASES } from '../../../core/access/lease/lease.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { Host } from '../../../core/transaction/host.ts'

export const LEASED_MOUNT_KEYS = coreRecordKey(MOUNT_LEASES, '')

/** Returns the UUIDs of the mounts in which this cluster has leases. */
export async function leasedMounts({ store }: Host): Promise<readonly string[]> {
  return (await store.list(LEASED_MOUNT_KEYS, { delimiter: '/' })).map((name) => name.slice(0, -1))
}
