/**
 * Compares this cluster's Merkle root with the primary's root at the same position. If the roots differ, the next synchronization compares
 * all records.
 */
import type { ReplicationContext } from '../replication-context.ts'
import { originAt } from '../state/history.ts'
import type { SetHost } from '../state/set-host.ts'
import type { PrimaryState } from './primary-state.ts'
import { isConsistent } from './read-records.ts'

export async function compareRoots({ host, follower, treeMaintainer }: ReplicationContext): Promise<void> {
  const { lastHello } = follower
  const found = lastHello?.primaryState.checkpoint
  if (!found || !(await isSameState(host, lastHello.primaryState))) return
  if (await treeMaintainer.differsAt({ ...found, origin: originAt(lastHello.primaryState.history, found.index) })) {
    host.events.publishKernelEvent('replication.diverged', { kind: host.kind.name, lost: 0 })
    follower.lastError = 'the data differs from the primary’s; it will be compared and synchronized'
    await treeMaintainer.requireComparison()
  }
}

/**
 * Whether the reported root can be compared. For a filtered secondary, the primary computes the root from the mounts that exist when it
 * answers, so this cluster must have applied all records that the primary had at that time.
 */
async function isSameState({ kind, store }: SetHost, { view, partial, head }: PrimaryState): Promise<boolean> {
  const { value } = await kind.replicaProgress.read(store)
  return value !== undefined && (value.view ?? '') === view && (!partial || (isConsistent(value) && value.applied >= head))
}
