/** The conformance suite for further storages that tests of the kernel use. */
import { test } from 'vitest'
import { type MemoryStorage, memoryStorage, type Storage } from '../../src/index.ts'
import { chaoticStorage, crashingStorage, fakeClock, seededEntropy, storageConformance } from '../../src/testing/index.ts'

for (const seed of [2, 3]) {
  const entropy = seededEntropy(seed)
  storageConformance({ name: `chaotic, seed ${seed}`, open: async () => chaoticStorage(memoryStorage(), { entropy }), test })
}

storageConformance({ name: 'crashing, never', open: async () => crashingStorage(memoryStorage()), test })

storageConformance({
  name: 'very chaotic, with a fake clock',
  open: async () =>
    chaoticStorage(memoryStorage(), { entropy: seededEntropy('very'), clock: fakeClock(), unknown: 0.5, twice: 0.5 }),
  test,
})

async function begin(storage: Storage) {
  const transaction = (storage as MemoryStorage).begin()
  return { transaction, commit: async () => (await transaction.commit()).ok, rollback: async () => transaction.rollback() }
}

storageConformance({
  name: 'memory, 128 ops',
  open: async () => memoryStorage({ maxOps: 128, maxValueBytes: 65_536 }),
  begin,
  test,
})
