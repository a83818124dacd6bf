import { expect, it } from 'vitest'
import {
  backupStorage,
  copyStorage,
  createKernel,
  keySeal,
  memoryStorage,
  restoreStorage,
  type Storage,
} from '../../../src/index.ts'
import { interrupting } from '../../fixtures/interrupting-storage.ts'
import { describePostgresql, postgresqlBench, put } from '../../fixtures/postgresql/bench.ts'
import { LMDB, MEMORY } from '../../fixtures/stores.ts'

const KEY = new Uint8Array(32).fill(5)
const contents = async (storage: Storage) =>
  (await storage.scan('')).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])

describePostgresql('a store moved to PostgreSQL', () => {
  const bench = postgresqlBench()

  it.each([MEMORY, LMDB])(
    'contains all data of $name even if the copy was interrupted and repeated, and can be copied back',
    async (store) => {
      const { storage: source, drop } = await store.open()
      const kernel = await createKernel({ storage: source, seal: keySeal(KEY), initialize: true })
      for (let n = 0; n < 300; n++) await kernel.kv.writeSecret({ path: `app/${n}`, data: { n } })
      await source.commit([{ op: 'append', log: 'log', value: new Uint8Array([1]) }], 'log')
      await kernel.close()
      const there = await bench.open()
      await expect(copyStorage(source, interrupting(6, 'after').wrap(there))).rejects.toThrow('call')
      await copyStorage(source, there)
      expect(await contents(there)).toEqual(await contents(source))
      expect(await there.commit([{ op: 'append', log: 'log', value: new Uint8Array([2]) }], 'next')).toMatchObject({
        appended: [2],
      })
      const moved = await createKernel({ storage: there, seal: keySeal(KEY) })
      expect((await moved.kv.readSecret({ path: 'app/299' })).data).toEqual({ n: 299 })
      await moved.close()
      const back = memoryStorage()
      await copyStorage(there, back)
      expect(await contents(back)).toEqual(await contents(there))
      await drop()
    },
  )

  it('can be backed up in the state of one moment during concurrent writes', async () => {
    const source = await bench.open()
    await source.commit(
      Array.from({ length: 200 }, (_, n) => put(`filled/${n}`, 'x')),
      'filled',
    )
    let writing = true
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        await source.commit([put('left', `${n}`), put('right', `${n}`), { op: 'del', key: `filled/${n % 200}` }], `pair ${n}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    for (let backups = 0; backups < 3; backups++) {
      const target = memoryStorage()
      await restoreStorage(backupStorage(source), target)
      expect((await target.get('left'))?.value).toEqual((await target.get('right'))?.value)
    }
    writing = false
    await writer
    const target = memoryStorage()
    await restoreStorage(backupStorage(source), target)
    expect(await contents(target)).toEqual(await contents(source))
  })
})
