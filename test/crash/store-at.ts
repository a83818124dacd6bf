/**
 * The store that workers are killed on.
 */
import type { Storage } from '../../src/index.ts'
import { type OpenStore, openStoreAt, type StoreAt } from '../fixtures/store-at.ts'

/** What PostgreSQL calls them, by which it tells whether it still works for one. */
const WORKER = 'strongroom crash worker'

export const openAsWorker = (at: StoreAt): OpenStore => openStoreAt(at, { called: WORKER })

/** Resolves when the revision has stayed as it is for a while. */
async function stillness(storage: Storage): Promise<void> {
  for (let before = -1; ; ) {
    const now = await storage.revision(true)
    if (now === before) return
    before = now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export interface Inspected extends OpenStore {
  /** What workers had begun and the store still works on; resolves when there is nothing of that. */
  idle(): Promise<void>
}

export function openToInspect(at: StoreAt): Inspected {
  const store = openStoreAt(at, { called: 'strongroom crash test' })
  const idle = async () => {
    // A member may still carry out what a killed process had sent it.
    if (at.kind === 'etcd') await stillness(store.storage)
    for (;;) {
      const answer = await store.pool?.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [WORKER])
      if (!answer?.rowCount) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return { ...store, idle }
}
