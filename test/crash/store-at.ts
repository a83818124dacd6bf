/**
 * The stores on which workers are killed.
 */
import type { Storage } from '../../src/index.ts'
import { type OpenStore, openStoreAt, type StoreAt } from '../fixtures/store-at.ts'

/** The application name in PostgreSQL, by which the test sees whether the server still works for a worker. */
const WORKER = 'strongroom crash worker'

export const openAsWorker = (at: StoreAt): OpenStore => openStoreAt(at, { called: WORKER })

/** Resolves when the revision has not changed for a while. */
async function stillness(storage: Storage): Promise<void> {
  for (let before = -1; ; ) {
    const now = await storage.revision(true)
    if (now === before) return
    before = now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export interface Inspected extends OpenStore {
  /** Resolves when the store has finished everything that workers had begun. */
  idle(): Promise<void>
}

export function openToInspect(at: StoreAt): Inspected {
  const store = openStoreAt(at, { called: 'strongroom crash test' })
  const idle = async () => {
    // A member may still execute what a killed process had sent.
    if (at.kind === 'etcd') await stillness(store.storage)
    for (;;) {
      const answer = await store.pool?.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [WORKER])
      if (!answer?.rowCount) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return { ...store, idle }
}
