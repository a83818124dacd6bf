/**
 * Which secondary an id names.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { ReplicationContext } from '../replication-context.ts'

/**
 * The id of its token, or the UUID of its own cluster, as it says when it greets.
 * @returns undefined for an id that nobody was issued.
 * @throws KernelError 400 where several say that they are that cluster: one of them may be somebody else.
 */
export async function findPeerId({ server, heartbeats }: ReplicationContext, id: string): Promise<string | undefined> {
  const issued = new Set((await server.peers.load()).map((peer) => peer.id))
  if (issued.has(id)) return id
  const heard = (await heartbeats.all()).filter((peer) => peer.cluster === id && issued.has(peer.id))
  if (heard.length > 1) throw invalid('id: several secondaries say that they are this cluster; give the id of the token')
  return heard[0]?.id
}
