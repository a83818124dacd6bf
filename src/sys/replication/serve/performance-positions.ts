/**
 * Maps records of the DR log to their positions in the log of the performance set. A DR secondary that takes over begins its performance
 * epoch after the last of these positions that it has received.
 */
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Position } from '../../../core/log/role.ts'
import type { LoggedFrame } from '../log/log-pages.ts'
import { positionOf } from '../log/tree-updater.ts'
import type { Membership } from '../membership.ts'
import { epochAt, lastOf } from '../state/history.ts'
import { DR, PERFORMANCE } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'

export interface PerformancePositions {
  of(frame: LoggedFrame): Position | undefined
  /** Finds the last record at or before the entry `entry` of the DR log, and returns its position in the log of the performance set. */
  at(entry: number): Promise<Position | undefined>
}

export interface PerformancePositionsParts {
  readonly host: SetHost
  readonly membership: Membership
}

/** Returns undefined if this is not the DR kind, or the cluster is not in a performance set. */
export async function performancePositions({
  host,
  membership,
}: PerformancePositionsParts): Promise<PerformancePositions | undefined> {
  if (host.kind !== DR) return undefined
  const { store } = host
  const [found] = await store.getMany([PERFORMANCE.relationKey])
  if (!found) return undefined
  const { history, mode } = decodeRecord(PERFORMANCE.relation, found.value)
  const placeAt = (index: number): Position => ({ epoch: epochAt(history, index), index })
  return {
    of(frame) {
      const index = positionOf(PERFORMANCE, frame, history)
      return index === undefined ? undefined : placeAt(index)
    },
    async at(entry) {
      const { mode: now } = PERFORMANCE.partOf(membership.role)
      if (now === 'primary' || (now === 'disabled' && mode === 'primary')) return placeAt(lastOf(history).start + entry)
      const { value } = await PERFORMANCE.replicaProgress.read(store)
      // A performance primary that is stepping down has not recorded its last position yet, so compute the position from the log. The DR
      // secondary that takes over begins its epoch after this position, so later records of the former primary are discarded.
      return value && placeAt(value.steppingDown ? lastOf(history).start + entry : value.applied)
    },
  }
}
