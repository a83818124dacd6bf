/**
 * A secondary is cut off.
 */
import { conflict, invalid } from '../../../core/base/errors.ts'
import { isWellFormed } from '../../../core/storage/ops.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { guardOf } from '../../../core/transaction/writes.ts'
import { heldKey } from '../ack/held.ts'
import type { Center } from '../center.ts'
import { MOST_PEER_ID_BYTES } from '../channel/limits.ts'
import { guardOp } from '../follow/apply.ts'
import { peerRecordId } from '../serve/peer-keys.ts'
import { seenKey } from '../serve/seen.ts'

/** An id that nobody has is as good as revoked. @throws KernelError 400 without an id, and unless a primary. */
export async function revoke({ membership, host, server, seen, held }: Center, id: string): Promise<void> {
  if (membership.mode !== 'primary') throw conflict('the cluster is no primary')
  if (id === '') throw invalid('id: must be given')
  if (id.length > MOST_PEER_ID_BYTES || !isWellFormed(id)) return
  const { peer } = host.kind
  const key = keyOf(peer, peerRecordId(id))
  await host.store.commit([
    { op: 'del', key },
    { op: 'del', key: seenKey(host.kind, id) },
    { op: 'del', key: heldKey(host.kind, id) },
    guardOp(host, guardOf(keyOf(peer, ''))),
  ])
  host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: [key] })
  seen.forget(id)
  held.forget(id)
  server.drop(id)
}
