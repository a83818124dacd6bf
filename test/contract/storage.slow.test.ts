/** The contract of storages on more of the storages that tests of the kernel use. */
import { test } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
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
