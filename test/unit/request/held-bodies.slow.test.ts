/** Large bodies that are accepted, as bytes and as values. The quick tier tests the limits. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKernel, type Kernel, type KernelResponse, keySeal, memoryStorage } from '../../../src/index.ts'

let kernel: Kernel
beforeEach(async () => {
  kernel = await createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true })
  await post('sys/mounts/transit', { type: 'transit' })
})
afterEach(() => kernel.close())

const post = (path: string, body: unknown): Promise<KernelResponse> =>
  kernel.handle({ method: 'POST', path: `/v1/${path}`, headers: { 'X-Service-Token': kernel.rootToken }, body })

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const list = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i))

it.each([
  ['a batch of 100,000 small items', { batch_input: list(100_000, () => ({ plaintext: 'QUJD' })) }],
  ['a batch of 400,000 small items', { batch_input: list(400_000, () => ({ plaintext: 'QUJD' })) }],
  ['an object of a million members', { data: Object.fromEntries(list(1_000_000, (i) => [`k${i}`, i])) }],
  ['2,000,000 bytes as numbers', { data: { a: list(2_000_000, (i) => i % 256) } }],
  ['100,000 rows of small members', { data: { a: list(100_000, (i) => ({ a: i % 7, b: 1, c: true, d: null, e: 'x' })) } }],
  ['100,000 points', { data: { a: list(100_000, (i) => [i % 10, 1.5]) } }],
  ['100,000 rows of two kinds', { data: { a: list(100_000, (i) => (i % 2 ? { type: 'a', x: 1 } : { kind: 'b', y: 2 })) } }],
])('a request body may contain %s', async (_, value) => {
  // The operation may refuse its parameters, but the body is accepted, both as bytes and as a value.
  for (const body of [json(value), value]) expect([204, 400, 404]).toContain((await post('transit/hash', body)).status)
})
