/**
 * A clock that returns no valid time: NaN, an infinity, undefined, a text, a date out of range, or an error. Every operation that needs a
 * token must be refused, and nothing may be written or expire.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/base/clock.ts'
import { checkTimes } from '../../src/core/jwt/times.ts'
import { type Clock, type Kernel, KernelError, memoryStorage } from '../../src/index.ts'
import { answered, configWorld, ROOT } from '../fixtures/configsvc.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts } from '../fixtures/good-requests.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { runs } from '../fixtures/runs.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'

usePreparedRsaKeys()

const BROKEN: Readonly<Record<string, () => unknown>> = {
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-Infinity': () => Number.NEGATIVE_INFINITY,
  undefined: () => undefined,
  null: () => null,
  'a text': () => '1700000000000',
  'a bigint': () => 1_700_000_000_000n,
  'an object': () => new Date(1_700_000_000_000),
  'a number out of the range of dates': () => 8.65e15,
  'an error': () => {
    throw new Error('no time')
  },
}

class BreakableClock implements Clock {
  broken: (() => unknown) | undefined

  now(): number {
    return this.broken ? (this.broken() as number) : Date.now()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }
}

/** Operations that are served in every state, without a token. */
const NEEDS_NO_TIME = /^sys\.(readHealth|readSealStatus|readLeader|readInit)/

const clock = new BreakableClock()
const storage = memoryStorage()
let kernel: Kernel
let root: string
let token: string
let batch: string

beforeAll(async () => {
  kernel = await kernelWithWrappingKey({ ports: furnishedPorts(), clock, storage })
  root = kernel.rootToken as string
  await furnish(async (verb, path, body) => ask(root, verb, path, body))
  await kernel.policies.writePolicy({
    name: 'all',
    policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "patch", "sudo"] }',
  })
  token = (await kernel.tokens.createToken({ policies: ['all'], ttl: '1h' })).client_token
  batch = (await kernel.tokens.createToken({ policies: ['all'], ttl: '1h', type: 'batch' })).client_token
})
afterAll(async () => {
  clock.broken = undefined
  await kernel.close()
})

const ask = async (by: string, verb: string, path: string, body: object = {}) =>
  (await kernel.handle({ method: verb, path: `/v1/${path}`, headers: { 'X-Service-Token': by }, body })) as {
    readonly status: number
    readonly body?: unknown
  }

const withBroken = async <T>(broken: BreakableClock, by: () => unknown, work: () => Promise<T>): Promise<T> => {
  broken.broken = by
  try {
    return await work()
  } finally {
    broken.broken = undefined
  }
}

describe('a kernel with a broken clock', () => {
  it.each(Object.entries(BROKEN))(
    'refuses every operation, writes nothing, and serves requests again after the clock is repaired: %s',
    async (name, broken) => {
      const before = await storage.revision()
      // One function refuses all invalid times, and every operation calls it, so the quick tier tries one value with every operation.
      const operations = runs({ quick: name === 'NaN' ? 1 : 0, soak: 1 }) === 1 ? EVERY_OPERATION : []
      await withBroken(clock, broken, async () => {
        for (const listed of operations) {
          if (NEEDS_NO_TIME.test(listed.title)) continue
          const { verb, path, body } = fill(listed, {})
          const { status } = await ask(token, verb, path, body)
          expect(status, listed.title).toBeGreaterThanOrEqual(400)
        }
        for (const by of [root, batch, token]) expect(await ask(by, 'GET', 'secret/a')).toMatchObject({ status: 503 })
        await expect(kernel.as(token).transit.readKey({ name: 'k' })).rejects.toThrow(KernelError)
        await expect(kernel.tick()).rejects.toThrow(KernelError)
      })
      expect(await storage.revision()).toBe(before)
      await kernel.tick()
      for (const by of [root, batch, token]) expect((await ask(by, 'GET', 'secret/a')).status).toBe(200)
    },
  )
})

describe('a configuration service with a broken clock', () => {
  it.each(Object.entries(BROKEN))(
    'refuses every token, writes nothing, and accepts tokens again after the clock is repaired: %s',
    async (_, broken) => {
      const own = new BreakableClock()
      const store = memoryStorage()
      await using world = await configWorld({ clock: own, storage: store })
      const created = await answered(world.ask('PUT', 'acl/token', { ExpirationTTL: '1h' }))
      const before = await store.revision()
      for (const secret of [ROOT, created.SecretID]) {
        const answer = await withBroken(own, broken, () => world.ask('GET', 'acl/token/self', undefined, secret))
        expect(answer.status).toBeGreaterThanOrEqual(400)
      }
      expect(await store.revision()).toBe(before)
      for (const secret of [ROOT, created.SecretID])
        expect((await world.ask('GET', 'acl/token/self', undefined, secret)).status).toBe(200)
    },
  )
})

describe('the times of a JSON Web Token', () => {
  it.each(['exp', 'nbf', 'iat'])('are refused if one of them is not finite: %s', (name) => {
    for (const value of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 10n ** 400n, -(10n ** 400n)])
      expect(() => checkTimes({ [name]: value } as never, Date.now())).toThrow(KernelError)
  })
})
