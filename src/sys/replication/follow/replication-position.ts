/** Reports this cluster's log position in its set. Every answer to a request by path contains the position in a header. */
import type { PositionStatus, ReplicationPosition } from '../../../core/transaction/replication-position.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { epochAt, type History, lastOf } from '../state/history.ts'
import { waitForIndex } from './wait-for-index.ts'

export function replicationPositionOf(context: ReplicationContext): ReplicationPosition {
  const { membership, internals, host, follower } = context
  return {
    current() {
      const { cluster } = internals
      const history = membership.known?.relation.history
      if (!cluster || !history) return undefined
      const isPrimary = membership.mode === 'primary'
      const index = isPrimary ? lastOf(history).start + host.store.commits.newestEntry : follower.applied
      return index === undefined
        ? undefined
        : `${cluster.id}.${isPrimary ? lastOf(history).epoch : epochAt(history, index)}.${index}`
    },
    waitFor({ cluster, epoch, index }) {
      const history = membership.known?.relation.history
      if (cluster === internals.cluster?.id || !history) return 'own'
      const isKnown = history.some((one) => one.epoch === epoch)
      if (isKnown && isIn(history, epoch, index) && (membership.mode === 'primary' || (follower.applied ?? 0) >= index))
        return 'here'
      return waitFor(context, epoch, index)
    },
  }
}

/** Combines the positions in several sets: uses the first set of which the cluster is a member. */
export const firstReplicationPosition = (all: readonly ReplicationPosition[]): ReplicationPosition => ({
  current() {
    for (const one of all) {
      const found = one.current()
      if (found !== undefined) return found
    }
    return undefined
  },
  waitFor: (wanted) => (all.find((one) => one.current() !== undefined) ?? (all[0] as ReplicationPosition)).waitFor(wanted),
})

async function waitFor(context: ReplicationContext, epoch: number, index: number): Promise<PositionStatus> {
  const { membership } = context
  const isHere = membership.mode === 'secondary' && (await waitForIndex(context, index))
  const { history } = (await membership.member()).relation
  if (!isIn(history, epoch, index)) return 'lost'
  return isHere || membership.mode === 'primary' ? 'here' : 'late'
}

/** Whether the history contains this index of this epoch. It does not if the next epoch began at a lower index, because records were lost. */
function isIn(history: History, epoch: number, index: number): boolean {
  const at = history.findIndex((one) => one.epoch === epoch)
  const next = history[at + 1]
  return at >= 0 && (next === undefined || index <= next.start)
}
