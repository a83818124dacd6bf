import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { compiled } from '../../fixtures/compiled.ts'
import { checkHoldings, put, storeFolder } from './lmdb-format-2.ts'

const UPGRADER = fileURLToPath(new URL('./lmdb-upgrader.mjs', import.meta.url))
const stores = storeFolder()
afterAll(stores.remove)

describe('an LMDB store of format 2', () => {
  it.each([0, 1, 2])('loses no record if the process is killed before write %i of the upgrade', async (write) => {
    const path = stores.storeOfFormat2()
    const upgrader = spawn(process.execPath, [UPGRADER, compiled('src/adapters/storage-lmdb/format.ts'), path, String(write)])
    const signal = await new Promise((resolve) => upgrader.on('close', (_, by) => resolve(by)))
    expect(signal).toBe('SIGKILL')
    const storage = lmdbStorage({ path })
    expect(await storage.revision()).toBe(49)
    await checkHoldings(storage)
    expect(await storage.commit([put('next')], 'next')).toEqual({ ok: true, revision: 50, appended: [] })
    await storage.close()
  })
})
