/**
 * The number of records that this cluster moved to the quarantine because only a lost primary had them. While the cluster is a secondary, the
 * replica progress contains the number. Afterwards, a separate record contains it.
 */
import type { Op } from '../../../core/storage/port.ts'
import type { ReplicaProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'

/** Returns the operation that adds the count of the replica progress to the separate record, for the commit that deletes the progress. */
export async function keepLostCountOps({ store, kind }: SetHost, progress: ReplicaProgress | undefined): Promise<readonly Op[]> {
  if (!progress || progress.lost === 0) return []
  const { value, version } = await kind.lostBefore.read(store)
  return [kind.lostBefore.put(store, { lost: (value?.lost ?? 0) + progress.lost }, version)]
}

export async function lostCountOf({ store, kind }: SetHost, progress?: ReplicaProgress): Promise<number> {
  return ((await kind.lostBefore.read(store)).value?.lost ?? 0) + (progress?.lost ?? 0)
}
