import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, type MemoryStorage } from '../../src/index.ts'
import { etcdMissing } from '../fixtures/etcd/server.ts'
import { ETCD, MEMORY } from '../fixtures/stores.ts'

const text = (value: string): Uint8Array => Buffer.from(value)

const STORES = [MEMORY, ...(etcdMissing === undefined ? [ETCD] : [])]

describe.each(STORES)('a kernel write in a transaction of the application on $name', (store) => {
  let storage: MemoryStorage
  let kernel: Kernel
  let drop: () => Promise<void>
  beforeEach(async () => {
    const opened = await store.open()
    drop = opened.drop
    // The etcd storage has the same `begin` method as the memory storage.
    storage = opened.storage as MemoryStorage
    kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
  })
  afterEach(async () => {
    await kernel.close()
    await drop()
  })

  const secret = async (path: string): Promise<unknown> =>
    (await kernel.kv.readSecret({ path }).catch(({ status }: { status: number }) => ({ data: status }))).data

  it('becomes visible when the application commits the transaction', async () => {
    const transaction = storage.begin()
    transaction.put('app/orders/1', text('paid'))
    await kernel.kv.writeSecret({ path: 'orders/1', data: { card: '4242' } }, { transaction: transaction })
    expect(await secret('orders/1')).toBe(404)
    expect((await transaction.commit()).ok).toBe(true)
    expect(await secret('orders/1')).toEqual({ card: '4242' })
    expect(Buffer.from((await storage.get('app/orders/1'))!.value).toString()).toBe('paid')
  })

  it('has no effect if the transaction is rolled back', async () => {
    const transaction = storage.begin()
    await kernel.kv.writeSecret({ path: 'orders/1', data: { card: '4242' } }, { transaction: transaction })
    transaction.rollback()
    expect(await secret('orders/1')).toBe(404)
    await expect(transaction.commit()).rejects.toThrow(TypeError)
  })

  it('makes the commit of the transaction fail if a record that it depends on has changed', async () => {
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    const transaction = storage.begin()
    transaction.put('app/x', text('x'))
    await kernel.mounts.tuneMount({ path: 'secret', description: 'before the transaction' })
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } }, { transaction: transaction })
    await kernel.mounts.tuneMount({ path: 'secret', description: 'after it' })
    expect((await transaction.commit()).ok).toBe(false)
    expect(await secret('a')).toEqual({ v: 1 })
    expect(await storage.get('app/x')).toBeUndefined()
  })

  it('makes the commit of the transaction fail if two writes depend on different versions of a record', async () => {
    const transaction = storage.begin()
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } }, { transaction: transaction })
    await kernel.mounts.tuneMount({ path: 'secret', description: 'between two parts' })
    await kernel.kv.writeSecret({ path: 'b', data: { v: 1 } }, { transaction: transaction })
    expect(await transaction.commit()).toMatchObject({ ok: false, conflict: expect.stringMatching(/^r\//) })
    expect([await secret('a'), await secret('b')]).toEqual([404, 404])
  })

  it('does not change cached reads before the transaction commits', async () => {
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    expect(await secret('a')).toEqual({ v: 1 })
    const transaction = storage.begin()
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } }, { transaction: transaction })
    expect(await secret('a')).toEqual({ v: 1 })
    await transaction.commit()
    // The watch of a cluster notifies a moment later.
    await expect.poll(() => secret('a'), { timeout: 60_000, interval: 5 }).toEqual({ v: 2 })
  })

  it('is refused if the transaction is invalid or has already written the same secret', async () => {
    const data = { v: 1 }
    await expect(kernel.kv.writeSecret({ path: 'a', data }, { transaction: {} as never })).rejects.toThrow(TypeError)
    await expect(kernel.kv.readSecret({ path: 'a' }, { transaction: storage.begin() })).rejects.toThrow(TypeError)
    const transaction = storage.begin()
    expect(() => transaction.put('r/core/token/x', text('x'))).toThrow(TypeError)
    await kernel.kv.writeSecret({ path: 'a', data }, { transaction: transaction })
    await expect(kernel.kv.writeSecret({ path: 'a', data }, { transaction: transaction })).rejects.toMatchObject({
      name: 'TypeError',
    })
    expect((await transaction.commit()).ok).toBe(true)
  })
})
