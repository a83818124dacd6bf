/**
 * Roots are compared at equal positions; where they differ, everything is compared at the next turn.
 */
import type { ReplicationContext } from '../replication-context.ts'
import { originAt } from '../state/history.ts'
import type { SetHost } from '../state/set-host.ts'
import type { PrimaryState } from './primary-state.ts'
import { isConsistent } from './read-records.ts'

export async function compareRoots({ host, follower, treeMaintainer }: ReplicationContext): Promise<void> {
  const { lastPrimaryState } = follower
  const found = lastPrimaryState?.standing.checkpoint
  if (!found || !(await isSameState(host, lastPrimaryState.standing))) return
  if (await treeMaintainer.differsAt({ ...found, origin: originAt(lastPrimaryState.standing.history, found.index) })) {
    host.events.say('replication.diverged', { kind: host.kind.name, lost: 0 })
    follower.lastError = 'what is held differs from the primary’s records: it is compared and put right'
    await treeMaintainer.requireComparison()
  }
}

/**
 * A root without what a filter leaves out is as of the mounts that the primary had when it said so: whoever has not heard of all of them
 * has another one.
 */
async function isSameState({ kind, store }: SetHost, { view, partial, head }: PrimaryState): Promise<boolean> {
  const { value } = await kind.replicaProgress.read(store)
  return value !== undefined && (value.view ?? '') === view && (!partial || (isConsistent(value) && value.applied >= head))
}
