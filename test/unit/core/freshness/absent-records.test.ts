/**
 * Writes remember absent records, so that consecutive writes do not read them again. Such negative entries may be stale, so neither reads
 * nor refusals rely on them.
 */
import { describe, expect, it } from 'vitest'
import { textRecord } from '../../../../src/core/contract/record-kind.ts'
import { RecordCache } from '../../../../src/core/transaction/cache.ts'
import { createKernel, type Kernel, type Kv2, keySeal, memoryStorage, type Storage } from '../../../../src/index.ts'
import { refusalOf } from '../../../property/support.ts'

const SEAL = keySeal(new Uint8Array(32).fill(5))

/** A storage that reports only the commits made through it. */
function deaf(storage: Storage): Storage {
  let lastRevision = 0
  return {
    ...storage,
    revision: async () => lastRevision,
    watch: async () => async () => {},
    commit: async (ops, id) => {
      const verdict = await storage.commit(ops, id)
      if (verdict.ok) lastRevision = verdict.revision
      return verdict
    },
  }
}

interface ReadLog {
  reads: string[]
}

function noting(storage: Storage, log: ReadLog): Storage {
  return {
    ...storage,
    get: (key) => {
      log.reads.push(key)
      return storage.get(key)
    },
    getSync: (key) => {
      log.reads.push(key)
      return storage.getSync?.(key)
    },
    getMany: (keys) => {
      log.reads.push(...keys)
      return storage.getMany(keys)
    },
  }
}

const open = (storage: Storage, initialize = false): Promise<Kernel> =>
  createKernel({ storage, seal: SEAL, initialize, cache: { stalenessMs: 3_600_000 } })

/** Two kernels on one store. The second sees the writes of the first only by reading. */
async function two(): Promise<{ writer: Kv2; stale: Kv2; close: () => Promise<void> }> {
  const storage = memoryStorage()
  const first = await open(storage, true)
  await first.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
  const second = await open(deaf(storage))
  const close = async (): Promise<void> => {
    await second.close()
    await first.close()
  }
  return { writer: first.kv2.at('kv2/'), stale: second.kv2.at('kv2/'), close }
}

describe('an absent record', () => {
  it('is read from the store by the first of consecutive writes only', async () => {
    const log: ReadLog = { reads: [] }
    const kernel = await open(noting(memoryStorage(), log), true)
    await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
    const kv = kernel.kv2.at('kv2/')
    await kv.writeSecret({ path: 'a', data: { n: 1 } })
    expect(log.reads.some((key) => key.includes('/config/'))).toBe(true)
    log.reads = []
    for (let n = 2; n < 40; n++) await kv.writeSecret({ path: 'a', data: { n } })
    expect(log.reads).toEqual([])
    // The record exists now.
    await kv.configure({ cas_required: true })
    expect(await refusalOf(kv.writeSecret({ path: 'a', data: {} }))).toMatchObject({ status: 400 })
    await kernel.close()
  })

  it('that another kernel has created in the meantime is taken into account by the next write', async () => {
    const { writer, stale, close } = await two()
    await stale.writeSecret({ path: 'a', data: { n: 1 } })
    await writer.configure({ cas_required: true })
    expect(await refusalOf(stale.writeSecret({ path: 'a', data: { n: 2 } }))).toMatchObject({ status: 400 })
    expect((await writer.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
    await close()
  })

  it('is read again before a write is refused or skipped because the record is missing', async () => {
    const { writer, stale, close } = await two()
    await stale.deleteLatest({ path: 'a' })
    expect(await refusalOf(stale.patchSecret({ path: 'b', data: { n: 2 } }))).toMatchObject({ status: 404 })
    await writer.writeSecret({ path: 'a', data: { n: 1 } })
    await writer.writeSecret({ path: 'b', data: { n: 1 } })
    await stale.deleteLatest({ path: 'a' })
    expect(await refusalOf(writer.readSecret({ path: 'a' }))).toMatchObject({ status: 404 })
    await stale.patchSecret({ path: 'b', data: { n: 2 } })
    expect((await writer.readSecret({ path: 'b' })).data).toEqual({ n: 2 })
    await close()
  })

  it('is read from the store by each read operation, even if a write has found it missing', async () => {
    const { writer, stale, close } = await two()
    await stale.deleteLatest({ path: 'a' })
    await writer.writeSecret({ path: 'a', data: { n: 1 } })
    expect((await stale.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
    await close()
  })

  it('is cached for a limited number of ids, and only until a commit creates it', () => {
    const cache = new RecordCache(1_000)
    const table = cache.table(textRecord({ folder: 'secret' }), 'r/mount/secret/')
    for (let i = 0; i < 10_000; i++) cache.putAbsent(table, `${i}`, { newest: 0 })
    expect(table.absent.size).toBeGreaterThan(0)
    expect(table.absent.size).toBeLessThan(1_000)
    expect(table.absent.has('9999')).toBe(true)
    cache.apply({ revision: 7, keys: ['r/mount/secret/9999'] })
    expect(table.absent.has('9999')).toBe(false)
    // The record was created while it was being loaded.
    cache.putAbsent(table, '9999', { newest: 7 })
    expect(table.absent.has('9999')).toBe(false)
    cache.clear()
    expect(table.absent.size).toBe(0)
  })
})
