/** Limits on the PGP keys that callers without a token may have parsed, and which callers they do not affect. */
import { afterEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, type KernelRequest, keySeal, memoryStorage, type Pgp, shamirSeal } from '../../src/index.ts'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { bytesOf } from '../property/support.ts'

let requests = 0
const pgp: Pgp = {
  async encrypt() {
    throw new Error('nobody can encrypt to this')
  },
  async fingerprint() {
    requests++
    return 'f'
  },
}

let kernel: Kernel | undefined
let clock: FakeClock
afterEach(() => kernel?.close())

const open = async (manual: boolean): Promise<Kernel> => {
  clock = fakeClock()
  requests = 0
  const seal = manual ? shamirSeal() : keySeal(bytesOf(32, 1))
  kernel = await createKernel({ storage: memoryStorage(), clock, seal, initialize: !manual, ports: { pgp } })
  return kernel
}

let made = 0
const someKeys = (count: number): string[] => Array.from({ length: count }, () => Buffer.from(`key ${made++}`).toString('base64'))

const counts = (keys: readonly string[]) => ({ secret_shares: keys.length, secret_threshold: 2, pgp_keys: keys })

const OPEN_TO_ALL: Readonly<Record<string, { manual: boolean; count: number; body: (keys: string[]) => object }>> = {
  'sys/init': { manual: true, count: 64, body: counts },
  'sys/rekey-recovery-key/init': { manual: false, count: 64, body: counts },
  'sys/generate-root/attempt': { manual: false, count: 1, body: ([pgp_key]) => ({ pgp_key }) },
  'sys/replication/dr/secondary/generate-operation-token/attempt': {
    manual: false,
    count: 1,
    body: ([pgp_key]) => ({ pgp_key }),
  },
}

const post = async (path: string, body: object, more: Partial<KernelRequest> = {}): Promise<number> =>
  (await (kernel as Kernel).handle({ method: 'POST', path: `/v1/${path}`, body, ...more })).status

describe.each(Object.entries(OPEN_TO_ALL))('%s', (path, { manual, count, body }) => {
  it('lets callers without a token have 256 PGP keys parsed at first, and then 8 per second', async () => {
    await open(manual)
    // The port refuses every first key, so each request costs one key, although the limit counts the keys it might have cost.
    for (let left = 256; left >= count; left -= count) expect(await post(path, body(someKeys(count)))).toBe(502)
    const before = requests
    expect(await post(path, body(someKeys(count)))).toBe(429)
    expect(requests).toBe(before)
    await clock.advance((count / 8) * 1000)
    expect(await post(path, body(someKeys(count)))).toBe(502)
    expect(await post(path, body(someKeys(count)))).toBe(429)
  })
})

describe('the limit on PGP keys of callers without a token', () => {
  it('does not apply to callers with a token or to the application', async () => {
    const { rootToken, seal } = await open(false)
    const spend = async () => {
      while ((await post('sys/generate-root/attempt', { pgp_key: someKeys(1)[0] })) !== 429);
    }
    await spend()
    const headers = { 'X-Service-Token': rootToken as string }
    expect(await post('sys/rotate/recovery/init', counts(someKeys(64)), { headers })).toBe(502)
    await expect(seal.status()).resolves.toMatchObject({ sealed: false })
    const manual = await open(true)
    const wish = { ...counts(someKeys(64)) }
    for (let i = 0; i < 10; i++) await expect(manual.seal.initialize(wish)).rejects.toMatchObject({ status: 502 })
  })
})

describe('the PGP keys in one request', () => {
  it('are refused if their total size exceeds a limit, for any caller', async () => {
    const { seal } = await open(true)
    const keys = Array.from({ length: 9 }, (_, i) => Buffer.alloc(90_000, i).toString('base64'))
    await expect(seal.initialize(counts(keys))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('1048576'),
    })
    expect(requests).toBe(0)
  })
})
