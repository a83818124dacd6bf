/** Deletes the records that this cluster keeps about its secondaries. */
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf, guardOf } from '../../../core/transaction/pending-writes.ts'
import { deleteBelow } from '../state/delete-below.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'

/** @returns False if the role has changed since `role` was read. The remaining records then belong to another set and are kept. */
export async function forgetPeers(
  host: SetHost,
  { peer, heartbeats, acknowledgements, inspection }: ReplicationKind,
  role: Fence,
): Promise<boolean> {
  const peers = coreRecordKey(peer, '')
  const also = [{ op: 'del', key: guardOf(peers) } as const, ...checksOf([role])]
  for (const prefix of [peers, heartbeats, acknowledgements, inspection])
    if (!(await deleteBelow(host, prefix, { also }))) return false
  return true
}
