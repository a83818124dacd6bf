/**
 * Determines which secondaries still need the engine of a mount that is being removed: those that have leases below the mount, and those
 * that have not received the removal yet.
 */
import type { OtherClusterLeases } from '../../../core/access/lease/other-clusters.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { headOf } from './hello.ts'

/** A secondary that has sent no heartbeat for this long no longer delays the removal. */
const SILENT_AFTER_MS = 86_400_000

export function secondaryLeases(context: ReplicationContext): OtherClusterLeases {
  const { membership, host, server, heartbeats } = context
  /**
   * For each mount, the newest log index at the first call of `holders`. The first call comes after the commit that marks the mount for
   * removal, so a secondary that has applied this index has received the removal.
   */
  const asked = new Map<string, number>()
  return {
    follows: () => host.store.commits.isFollower,
    async holders(mount) {
      const member = await membership.current()
      if (!member || membership.mode !== 'primary') return []
      const index = asked.get(mount) ?? (await headOf(host, member.relation.history))
      asked.set(mount, index)
      const ids = new Set((await server.peers.load()).map(({ id }) => id))
      const now = host.clock.now()
      const all = (await heartbeats.all()).filter(({ id, at }) => ids.has(id) && Math.abs(now - at) < SILENT_AFTER_MS)
      const holders = all.filter(({ applied, leases }) => applied < index || leases.includes(mount)).map(({ id }) => id)
      if (holders.length === 0) asked.delete(mount)
      return holders
    },
  }
}
