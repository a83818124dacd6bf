import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  backupStorage,
  copyStorage,
  createKernel,
  keySeal,
  memoryStorage,
  restoreStorage,
  type Storage,
} from '../../../src/index.ts'
import { etcdMissing } from '../../fixtures/etcd/server.ts'
import { interrupting } from '../../fixtures/interrupting-storage.ts'
import { postgresqlMissing } from '../../fixtures/postgresql/server.ts'
import { ETCD, LMDB, MEMORY, POSTGRESQL } from '../../fixtures/stores.ts'

const KEY = new Uint8Array(32).fill(5)
const SOURCES = [MEMORY, LMDB, ...(postgresqlMissing === undefined ? [POSTGRESQL] : [])]
const contents = async (storage: Storage) =>
  (await storage.scan('')).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])

describe.skipIf(etcdMissing !== undefined)(`a store moved to etcd${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  let there: Storage
  let drop: () => Promise<void>
  beforeAll(async () => {
    ;({ storage: there, drop } = await ETCD.open())
  })
  afterAll(() => drop?.())

  it.each(SOURCES)(
    'contains all data of $name even if the copy was interrupted and repeated, and can be copied back',
    async (store) => {
      const target = await ETCD.open()
      const { storage: source, drop: dropSource } = await store.open()
      const kernel = await createKernel({ storage: source, seal: keySeal(KEY), initialize: true })
      for (let n = 0; n < 200; n++) await kernel.kv.writeSecret({ path: `app/${n}`, data: { n } })
      // More data than one etcd request may contain.
      for (let n = 0; n < 20; n++) await kernel.kv.writeSecret({ path: `long/${n}`, data: { text: 'x'.repeat(200_000) } })
      await source.commit([{ op: 'append', log: 'log', value: new Uint8Array([1]) }], 'log')
      await kernel.close()
      await expect(copyStorage(source, interrupting(6, 'after').wrap(target.storage))).rejects.toThrow('call')
      await copyStorage(source, target.storage)
      expect(await contents(target.storage)).toEqual(await contents(source))
      const appended = await target.storage.commit([{ op: 'append', log: 'log', value: new Uint8Array([2]) }], 'next')
      expect(appended).toMatchObject({ appended: [2] })
      const moved = await createKernel({ storage: target.storage, seal: keySeal(KEY) })
      expect((await moved.kv.readSecret({ path: 'app/199' })).data).toEqual({ n: 199 })
      await moved.close()
      const back = memoryStorage()
      await copyStorage(target.storage, back)
      expect(await contents(back)).toEqual(await contents(target.storage))
      await Promise.all([dropSource(), target.drop()])
    },
  )

  it('can be backed up in the state of one moment during concurrent writes', async () => {
    await there.commit(
      Array.from({ length: 100 }, (_, n) => ({ op: 'put', key: `filled/${n}`, value: new Uint8Array(10) }) as const),
      'filled',
    )
    let writing = true
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        const value = Buffer.from(`${n}`)
        await there.commit(
          [
            { op: 'put', key: 'left', value },
            { op: 'put', key: 'right', value },
            { op: 'del', key: `filled/${n % 100}` },
          ],
          `pair ${n}`,
        )
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    for (let backups = 0; backups < 3; backups++) {
      const target = memoryStorage()
      await restoreStorage(backupStorage(there), target)
      expect((await target.get('left'))?.value).toEqual((await target.get('right'))?.value)
    }
    writing = false
    await writer
  })

  it('can be created by restoring the backup of a kernel', async () => {
    const [one, other] = [await ETCD.open(), await ETCD.open()]
    const kernel = await createKernel({ storage: one.storage, seal: keySeal(KEY), initialize: true })
    await kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
    await restoreStorage(kernel.backup(), other.storage)
    await kernel.close()
    const restored = await createKernel({ storage: other.storage, seal: keySeal(KEY) })
    expect((await restored.kv.readSecret({ path: 'kept' })).data).toEqual({ a: 1 })
    await restored.close()
    await Promise.all([one.drop(), other.drop()])
  })
})
