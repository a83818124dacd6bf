/**
 * The memory of parsed request bodies is limited for each body by its size, and for all requests of a kernel together.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, type KernelOptions, type KernelResponse, keySeal, memoryStorage } from '../../../src/index.ts'

const MIB = 1 << 20
const LIMIT = 33_554_432

let kernel: Kernel
afterEach(() => kernel.close())

async function opened(options: Partial<KernelOptions> = {}): Promise<void> {
  kernel = await createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true, ...options })
  await post('sys/mounts/transit', { type: 'transit' })
}

const post = (path: string, body: unknown, token: string | undefined = kernel.rootToken): Promise<KernelResponse> =>
  kernel.handle({ method: 'POST', path: `/v1/${path}`, headers: token ? { 'X-Service-Token': token } : {}, body })

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
/** `head` followed by repetitions of `unit`, `length` bytes in total. */
const filled = (head: string, unit: string, length = LIMIT): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.alloc(length - head.length, unit)])
const json = (value: unknown): Uint8Array => bytes(JSON.stringify(value))
const list = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i))

describe('the number of values in a request body', () => {
  it.each([
    ['empty objects', '{},'],
    ['empty arrays', '[],'],
    ['arrays with one element', '[0],'],
    ['objects with numeric names', '{"1":0},'],
  ])('is limited: 33 MB of %s are refused before a tenth is read', async (_, unit) => {
    await opened()
    // Reading beyond the tenth would find invalid JSON and answer 400.
    const body = filled('{"a":[', unit)
    body.fill(0x21, Math.ceil(LIMIT / 10))
    expect(await post('transit/random', body)).toMatchObject({ status: 413 })
  })

  it.each([
    ['a batch of 20,000 small items', { batch_input: list(20_000, () => ({ plaintext: 'QUJD' })) }],
    ['an object of 20,000 members', { data: Object.fromEntries(list(20_000, (i) => [`k${i}`, i])) }],
    ['10,000 rows of two kinds', { data: { a: list(10_000, (i) => (i % 2 ? { type: 'a', x: 1 } : { kind: 'b', y: 2 })) } }],
  ])('permits %s', async (_, value) => {
    await opened()
    // The operation may refuse its parameters, but the body is accepted, both as bytes and as a value.
    for (const body of [json(value), value]) expect([204, 400, 404]).toContain((await post('transit/hash', body)).status)
  })
})

describe('the shared memory budget of request bodies', () => {
  it('causes 503 with Retry-After while it is used up by requests that are not answered yet', async () => {
    await opened({ bodies: { parsedBytes: 40 * MIB } })
    const body = json({ a: 'x'.repeat(16 * MIB) })
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(list(6, () => post('transit/random', body)))
      const busy = answers.filter(({ status }) => status === 503)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503, 503])
      for (const { headers, body: answer } of busy) {
        expect(headers['Retry-After']).toBe('1')
        expect(answer).toEqual({ errors: ['the requests in progress use too much memory; try again in a second'] })
      }
    }
  })

  it('covers bodies that arrive as parsed values', async () => {
    await opened({ bodies: { parsedBytes: 60 * MIB } })
    const body = { a: list(400_000, (i) => ({ i })) }
    const statuses = (await Promise.all(list(3, () => post('transit/random', body)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 503, 503])
    expect((await post('transit/random', body)).status).toBe(200)
  })

  it.each([
    ['has an invalid token', 'secret/data/a', 403, () => json({ a: list(20_000, (i) => ({ i })) }), 'nobody', 40],
    ['contains invalid JSON', 'secret/data/a', 400, () => bytes(`{"a":[${'{"i":1},'.repeat(20_000)}!`), undefined, 40],
    ['has too many values', 'secret/data/a', 413, () => filled('{"a":[', '{},', MIB), undefined, 160],
    ['has an unknown path', 'nowhere/at/all', 404, () => json({ a: list(20_000, (i) => ({ i })) }), undefined, 40],
  ] as const)('is released after a request that %s', async (_, path, status, body, token, most) => {
    await opened({ bodies: { parsedBytes: most * MIB } })
    const sent = body()
    for (let i = 0; i < 30; i++) expect((await post(path, sent, token)).status).toBe(status)
  })

  it('is released after a request whose answer the audit log cannot record', async () => {
    const sink = () => Promise.reject(new Error('full'))
    await opened({ bodies: { parsedBytes: 40 * MIB }, ports: { audit: { sinks: { broken: sink } } } })
    const body = json({ a: 'x'.repeat(3 * MIB) })
    for (let i = 0; i < 30; i++) expect((await post('transit/random', body)).status).toBe(500)
  })
})
