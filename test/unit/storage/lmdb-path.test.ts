import { expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'

it.skipIf(process.platform !== 'linux')(
  `lmdbStorage throws if the directory cannot be created${process.platform === 'linux' ? '' : ' (skipped: needs /proc)'}`,
  () => {
    expect(() => lmdbStorage({ path: '/proc/nope/store' })).toThrow(/cannot open the store in \/proc\/nope\/store/)
  },
)
