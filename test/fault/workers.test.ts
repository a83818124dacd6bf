/** Worker threads die or lose their kernel. Every item still gets its result, and no key bytes remain. */
import { describe, expect, it } from 'vitest'
import { nodeWorkers } from '../../src/adapters/workers-node/index.ts'
import { Pool } from '../../src/adapters/workers-node/pool.ts'
import type { WorkersPort } from '../../src/core/contract/workers-port.ts'
import { createDevKernel, type KernelOptions } from '../../src/index.ts'
import { realWorkers, watchedWorkers } from '../fixtures/workers.ts'
import { bytesOf } from '../property/support.ts'
import { batchOf, closeKernelsAfterEach, failing, kernelWith, roundTrip } from './with-threads.ts'

closeKernelsAfterEach()

const isWiped = (memory: SharedArrayBuffer): boolean => new Uint8Array(memory).every((byte) => byte === 0)

it('if a worker thread fails, the kernel signs the bytes that the caller passed, although the caller has overwritten them', async () => {
  const watched = watchedWorkers(new Pool(failing('process.exit(1)', 1), 1, 60_000))
  const kernel = await kernelWith(watched.port)
  await kernel.transit.createKey({ name: 'signer', type: 'ed25519' })
  const input = bytesOf(40, 5)
  await kernel.transit.sign({ name: 'signer', input })
  const lent = input.slice()
  const signing = kernel.transit.sign({ name: 'signer', input: lent })
  lent.fill(0)
  const { signature } = await signing
  expect(await kernel.transit.verify({ name: 'signer', input, signature })).toEqual({ valid: true })
  expect(watched.orders.length).toBeGreaterThan(0)
  expect(watched.answered).toBe(0)
})

describe('the key memory shared with worker threads', () => {
  async function used(options: Partial<KernelOptions> = {}) {
    const watched = watchedWorkers(realWorkers(2))
    const kernel = await kernelWith(watched.port, options)
    await roundTrip(kernel, 200)
    const memories = new Set(watched.orders.flatMap(({ keys }) => keys))
    expect(memories.size).toBe(1)
    const [memory] = memories
    if (!memory) throw new Error('nothing was ordered')
    expect(isWiped(memory)).toBe(false)
    return { kernel, memory, watched }
  }

  it('is wiped immediately when the kernel is sealed', async () => {
    const { kernel, memory } = await used()
    await kernel.seal.seal()
    expect(isWiped(memory)).toBe(true)
  })

  it('is wiped when the kernel closes', async () => {
    const { kernel, memory } = await used()
    await kernel.close()
    expect(isWiped(memory)).toBe(true)
  })

  it('is wiped when the key is deleted', async () => {
    const { kernel, memory } = await used()
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    expect(isWiped(memory)).toBe(true)
  })

  it('is wiped when another key takes the place of the key in the cache', async () => {
    const { kernel, memory } = await used({ cache: { keys: 1 } })
    for (const name of ['a', 'b']) await kernel.transit.encrypt({ name, plaintext: bytesOf(3, 1) })
    expect(isWiped(memory)).toBe(true)
    await roundTrip(kernel, 50)
  })

  it.each(['seal', 'delete', 'close'])('is wiped after a %s during a batch, and the batch is refused', async (what) => {
    const { kernel, memory, watched } = await used()
    const { transit } = kernel
    if (what === 'delete') await transit.configureKey({ name: 'k', deletion_allowed: true })
    const before = watched.orders.length
    const running = roundTrip(kernel, 4_000).catch((error: { status?: number }) => error)
    while (watched.orders.length === before) await new Promise((resolve) => setImmediate(resolve))
    if (what === 'seal') await kernel.seal.seal()
    else if (what === 'close') await kernel.close()
    else await transit.deleteKey({ name: 'k' })
    const outcome = (await running) as { readonly status?: number; readonly name?: string } | undefined
    // The rest of the batch comes after the close, so it is refused like any other call.
    if (what === 'close') expect(outcome).toBeInstanceOf(TypeError)
    else expect(outcome?.status).toBe(what === 'seal' ? 503 : 400)
    expect(isWiped(memory)).toBe(true)
  })
})

describe('a batch encryption on worker threads', () => {
  it('rejects with the abort reason of its signal, and later batches succeed', async () => {
    const stop = new AbortController()
    const watched = watchedWorkers(realWorkers(1), () => stop.abort(new Error('enough')))
    const kernel = await kernelWith(watched.port)
    const signal = { signal: stop.signal }
    await expect(kernel.transit.encryptBatch({ name: 'k', batch_input: batchOf(2_000) }, signal)).rejects.toThrow('enough')
    await roundTrip(kernel, 100)
  })
})

describe('two kernels that share a worker pool', () => {
  it('can use the pool concurrently, and one can still use it after the other is closed', async () => {
    const watched = watchedWorkers(realWorkers(2))
    const [firstKernel, two] = [await kernelWith(watched.port), await kernelWith(watched.port)]
    await Promise.all([roundTrip(firstKernel, 500), roundTrip(two, 500)])
    await firstKernel.close()
    const before = watched.answered
    await roundTrip(two, 300)
    expect(watched.answered).toBeGreaterThan(before)
  })
})

it.each([0, -1, 1.5, 257, Number.NaN, '2', null, undefined])('nodeWorkers(%s) throws a TypeError', (n) => {
  expect(() => nodeWorkers(n as number)).toThrow(TypeError)
})

it.each([0, 1.5, '1', 3_600_001])('nodeWorkers with a timeout of %s throws a TypeError', (timeoutMs) => {
  expect(() => nodeWorkers(1, { timeoutMs: timeoutMs as number })).toThrow(TypeError)
})

it('createDevKernel throws a TypeError for a `workers` option that does not implement the port', async () => {
  await expect(createDevKernel({ workers: {} as WorkersPort })).rejects.toThrow(TypeError)
})
