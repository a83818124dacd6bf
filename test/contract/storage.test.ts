import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { type MemoryStorage, memoryStorage } from '../../src/core/storage/memory-storage.ts'
import type { Storage } from '../../src/index.ts'
import { chaoticStorage, seededEntropy, storageConformance } from '../../src/testing/index.ts'
import { fakeStorage } from '../unit/storage/page-of-code.ts'

async function begin(storage: Storage) {
  const transaction = (storage as MemoryStorage).begin()
  return { transaction, commit: async () => (await transaction.commit()).ok, rollback: async () => transaction.rollback() }
}

storageConformance({ name: 'memory', open: async () => memoryStorage(), begin, test })
storageConformance({ name: 'fake', open: async () => fakeStorage(), test })

const entropy = seededEntropy(1)
storageConformance({ name: 'chaotic, seed 1', open: async () => chaoticStorage(memoryStorage(), { entropy }), test })

const directory = mkdtempSync(join(tmpdir(), 'strongroom-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

for (const shared of [false, true]) {
  let stores = 0
  const path = () => join(directory, `${shared}-${stores}`)
  storageConformance({
    name: shared ? 'lmdb, shared' : 'lmdb',
    open: async () => {
      stores++
      return lmdbStorage({ path: path(), shared })
    },
    reopen: async () => lmdbStorage({ path: path(), shared }),
    ...(shared ? { another: async () => lmdbStorage({ path: path(), shared }) } : {}),
    test,
  })
}
