/** A write of the kernel as part of a transaction of the application's own on the same store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, type MemoryStorage, memoryStorage } from '../../src/index.ts'

const text = (value: string): Uint8Array => Buffer.from(value)

let storage: MemoryStorage
let kernel: Kernel
beforeEach(async () => {
  storage = memoryStorage()
  kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
})
afterEach(() => kernel.close())

const secret = async (path: string): Promise<unknown> =>
  (await kernel.kv.readSecret({ path }).catch(({ status }: { status: number }) => ({ data: status }))).data

describe('a write within a transaction of the application', () => {
  it('takes effect with it', async () => {
    const transaction = storage.begin()
    transaction.put('app/orders/1', text('paid'))
    await kernel.kv.writeSecret({ path: 'orders/1', data: { card: '4242' } }, { within: transaction })
    expect(await secret('orders/1')).toBe(404)
    expect((await transaction.commit()).ok).toBe(true)
    expect(await secret('orders/1')).toEqual({ card: '4242' })
    expect(Buffer.from((await storage.get('app/orders/1'))!.value).toString()).toBe('paid')
  })

  it('does not take effect without it', async () => {
    const transaction = storage.begin()
    await kernel.kv.writeSecret({ path: 'orders/1', data: { card: '4242' } }, { within: transaction })
    transaction.rollback()
    expect(await secret('orders/1')).toBe(404)
    await expect(transaction.commit()).rejects.toThrow(TypeError)
  })

  it('takes nothing with it into effect when what it rests on has changed', async () => {
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    const transaction = storage.begin()
    transaction.put('app/x', text('x'))
    await kernel.mounts.tuneMount({ path: 'secret', description: 'before the transaction' })
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } }, { within: transaction })
    await kernel.mounts.tuneMount({ path: 'secret', description: 'after it' })
    expect((await transaction.commit()).ok).toBe(false)
    expect(await secret('a')).toEqual({ v: 1 })
    expect(await storage.get('app/x')).toBeUndefined()
  })

  it('shows a value that was cached before only until it commits', async () => {
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    expect(await secret('a')).toEqual({ v: 1 })
    const transaction = storage.begin()
    await kernel.kv.writeSecret({ path: 'a', data: { v: 2 } }, { within: transaction })
    expect(await secret('a')).toEqual({ v: 1 })
    await transaction.commit()
    expect(await secret('a')).toEqual({ v: 2 })
  })

  it('is refused where it cannot be', async () => {
    const data = { v: 1 }
    await expect(kernel.kv.writeSecret({ path: 'a', data }, { within: {} })).rejects.toThrow(TypeError)
    await expect(kernel.kv.readSecret({ path: 'a' }, { within: storage.begin() })).rejects.toThrow(TypeError)
    const transaction = storage.begin()
    expect(() => transaction.put('r/core/token/x', text('x'))).toThrow(TypeError)
    await kernel.kv.writeSecret({ path: 'a', data }, { within: transaction })
    await expect(kernel.kv.writeSecret({ path: 'a', data }, { within: transaction })).rejects.toMatchObject({ name: 'TypeError' })
    expect((await transaction.commit()).ok).toBe(true)
  })
})
