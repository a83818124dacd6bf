/** The contract of storages on more seeds of the storage that delays, reorders and repeats. */
import { test } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { chaoticStorage, seededEntropy, storageConformance } from '../../src/testing/index.ts'

for (const seed of [2, 3]) {
  const entropy = seededEntropy(seed)
  storageConformance({ name: `chaotic, seed ${seed}`, open: async () => chaoticStorage(memoryStorage(), { entropy }), test })
}
