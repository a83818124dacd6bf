/**
 * The number of records that this cluster discarded because only a lost primary had them. The replica progress counts them while the
 * cluster is a secondary. Afterwards, the count is kept in a separate record.
 */
import type { Op } from '../../../core/storage/port.ts'
import type { ReplicaProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'

/** Returns the operation that stores the count. It belongs in the commit that deletes the replica progress. */
export async function keepLostCountOps({ store, kind }: SetHost, progress: ReplicaProgress | undefined): Promise<readonly Op[]> {
  if (!progress || progress.lost === 0) return []
  const { value, version } = await kind.lostBefore.read(store)
  return [kind.lostBefore.put(store, { lost: (value?.lost ?? 0) + progress.lost }, version)]
}

export async function lostCountOf({ store, kind }: SetHost, progress?: ReplicaProgress): Promise<number> {
  return ((await kind.lostBefore.read(store)).value?.lost ?? 0) + (progress?.lost ?? 0)
}
