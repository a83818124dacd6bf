/** Revokes a secondary. */
import { conflict, invalid } from '../../../core/base/errors.ts'
import { isWellFormed } from '../../../core/base/well-formed.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import { guardOf } from '../../../core/transaction/pending-writes.ts'
import { acknowledgementKey } from '../ack/peer-acknowledgements.ts'
import { MAX_PEER_ID_BYTES } from '../channel/limits.ts'
import { guardOp } from '../follow/apply-records.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { heartbeatKey } from '../serve/peer-heartbeats.ts'
import { peerRecordId } from '../serve/peer-keys.ts'

/**
 * Revokes a secondary. Succeeds even if the id is unknown. @throws KernelError 400 if the id is empty, or if the cluster is not a primary.
 */
export async function revoke(
  { membership, host, server, heartbeats, acknowledgements }: ReplicationContext,
  id: string,
): Promise<void> {
  if (membership.mode !== 'primary') throw conflict('the cluster is not a primary')
  if (id === '') throw invalid('id: required')
  if (id.length > MAX_PEER_ID_BYTES || !isWellFormed(id)) return
  const { peer } = host.kind
  const key = coreRecordKey(peer, peerRecordId(id))
  await host.store.commit([
    { op: 'del', key },
    { op: 'del', key: heartbeatKey(host.kind, id) },
    { op: 'del', key: acknowledgementKey(host.kind, id) },
    guardOp(host, guardOf(coreRecordKey(peer, ''))),
  ])
  host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: [key] })
  heartbeats.forget(id)
  acknowledgements.forget(id)
  server.drop(id)
}
