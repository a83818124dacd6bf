import { invalid } from '../../../core/base/errors.ts'
import type { ReplicationContext } from '../replication-context.ts'

/**
 * Finds a secondary by its id, or by the UUID that its cluster reports in its hello, and returns the id of the secondary.
 *
 * @returns Undefined if no token was created for the secondary.
 * @throws KernelError 400 if several secondaries report the same cluster UUID, since one of them may be an impostor.
 */
export async function findPeerId({ server, heartbeats }: ReplicationContext, id: string): Promise<string | undefined> {
  const issued = new Set((await server.peers.load()).map((peer) => peer.id))
  if (issued.has(id)) return id
  const heard = (await heartbeats.all()).filter((peer) => peer.cluster === id && issued.has(peer.id))
  if (heard.length > 1)
    throw invalid('id: several secondaries report this cluster id; use the id with which the token was created')
  return heard[0]?.id
}
