/**
 * How much was given up here: what the part of a secondary counts ends with that part, and what was kept apart stays.
 */
import type { Op } from '../../../core/storage/port.ts'
import type { ReplicaProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'

/** For the commit that ends the part of a secondary. */
export async function keepLostCountOps({ store, kind }: SetHost, following: ReplicaProgress | undefined): Promise<readonly Op[]> {
  if (!following || following.lost === 0) return []
  const { value, version } = await kind.lostBefore.read(store)
  return [kind.lostBefore.put(store, { lost: (value?.lost ?? 0) + following.lost }, version)]
}

export async function lostCountOf({ store, kind }: SetHost, following?: ReplicaProgress): Promise<number> {
  return ((await kind.lostBefore.read(store)).value?.lost ?? 0) + (following?.lost ?? 0)
}
