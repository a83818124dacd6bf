/** Copies of a store in memory, so that tests which begin with the same records prepare them once. */
import { type Entry, memoryStorage, type Storage } from '../../src/index.ts'

const MAX_OPS = 128

export const recordsOf = (storage: Storage): Promise<readonly Entry[]> => storage.scan('')

/** A store with the same records, in few commits. */
export async function copyOfRecords(records: readonly Entry[]): Promise<Storage> {
  const storage = memoryStorage({ maxOps: MAX_OPS })
  for (let at = 0; at < records.length; at += MAX_OPS) {
    const ops = records.slice(at, at + MAX_OPS).map(({ key, value }) => ({ op: 'put', key, value }) as const)
    if (!(await storage.commit(ops, `copy-${at}`)).ok) throw new Error('a copy met a conflict')
  }
  return storage
}
