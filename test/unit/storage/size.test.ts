import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { runs } from '../../fixtures/runs.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const KEY = bytesOf(32, 71)

interface Counted {
  readonly storage: Storage
  /** Number of records that reads have returned, and of names that lists have returned. */
  readonly read: { records: number; names: number }
}

function counted(inner: Storage): Counted {
  const read = { records: 0, names: 0 }
  const storage: Storage = {
    ...inner,
    getSync(key) {
      read.records++
      return inner.getSync!(key)
    },
    get(key) {
      read.records++
      return inner.get(key)
    },
    getMany(keys) {
      read.records += keys.length
      return inner.getMany(keys)
    },
    async scan(prefix, page) {
      const entries = await inner.scan(prefix, page)
      read.records += entries.length
      return entries
    },
    async list(prefix, page) {
      const names = await inner.list(prefix, page)
      read.names += names.length
      return names
    },
  }
  return { storage, read }
}

async function write(kernel: Kernel, from: number, to: number): Promise<void> {
  let next = from
  const writer = async (): Promise<void> => {
    while (next < to) {
      const n = next++
      await kernel.kv.writeSecret({ path: `app/${n}`, data: { n } })
    }
  }
  await Promise.all(Array.from({ length: 16 }, writer))
}

describe('a kernel on a large store', () => {
  it('reads as many records for its opening and an idle tick as on a small store', async () => {
    const inner = memoryStorage()
    const first = await createKernel({ storage: inner, seal: keySeal(KEY), initialize: true })
    const measured: object[] = []
    for (const [from, to] of [
      [0, 10],
      [10, 1500],
    ] as const) {
      await write(first, from, to)
      for (let n = from; n < Math.min(to, 300); n++) await first.transit.createKey({ name: `key-${n}` })
      const { storage, read } = counted(inner)
      const kernel = await createKernel({ storage, seal: keySeal(KEY) })
      const opening = { ...read }
      await kernel.tick()
      measured.push({ opening, ticked: { ...read } })
      await kernel.close()
    }
    expect(measured[1]).toEqual(measured[0])
    await first.close()
  })

  it('keeps at most the configured number of records in its cache, however many secrets are read', async () => {
    const secrets = runs({ quick: 1000, soak: 50_000 })
    const bound = 100
    const inner = memoryStorage()
    const writer = await createKernel({
      storage: inner,
      seal: keySeal(KEY),
      initialize: true,
      cache: { records: bound, keys: 4 },
    })
    await write(writer, 0, secrets)
    await writer.close()
    const { storage, read } = counted(inner)
    const kernel = await createKernel({ storage, seal: keySeal(KEY), cache: { records: bound, keys: 4 } })
    const readAll = async (from: number, to: number): Promise<number> => {
      const before = read.records
      for (let n = from; n < to; n++) expect((await kernel.kv.readSecret({ path: `app/${n}` })).data).toEqual({ n })
      return read.records - before
    }
    await readAll(0, secrets)
    // The latest secrets are cached; all others have been evicted.
    const cached = bound - (await readAll(secrets - bound, secrets))
    expect(cached).toBeGreaterThan(0)
    expect(cached).toBeLessThanOrEqual(bound)
    expect(await readAll(0, secrets - bound)).toBeGreaterThanOrEqual(secrets - bound)
    await kernel.close()
  })

  it('keeps at most the configured number of transit keys in its cache', async () => {
    const inner = memoryStorage()
    const { storage, read } = counted(inner)
    const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true, cache: { records: 8, keys: 4 } })
    const plaintext = utf8('x')
    const texts: string[] = []
    for (let n = 0; n < 40; n++) {
      await kernel.transit.createKey({ name: `key-${n}` })
      texts.push((await kernel.transit.encrypt({ name: `key-${n}`, plaintext })).ciphertext)
    }
    const before = read.records
    for (let n = 0; n < 36; n++) await kernel.transit.decrypt({ name: `key-${n}`, ciphertext: texts[n]! })
    expect(read.records - before).toBeGreaterThanOrEqual(36)
    const warm = read.records
    for (let again = 0; again < 10; again++) await kernel.transit.decrypt({ name: 'key-35', ciphertext: texts[35]! })
    expect(read.records).toBe(warm)
    await kernel.close()
  })
})
