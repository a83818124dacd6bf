/**
 * For disaster recovery: where records of the log lie among the clusters that serve. Whoever takes over begins its epoch there behind the last
 * one it has.
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
  /** Of everything up to an entry of the log. */
  at(entry: number): Promise<Position | undefined>
}

export interface PerformancePositionsParts {
  readonly host: SetHost
  readonly membership: Membership
}

/** Undefined where there is no such place. */
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
      // One that was a primary until now has not noted yet how far it had come; what it had alone is to be given up by whoever takes it over.
      return value && placeAt(value.steppingDown ? lastOf(history).start + entry : value.applied)
    },
  }
}
