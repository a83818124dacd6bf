import { describe, expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { answered, askOf, configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'

const MINUTE = 60_000

const HOUR = 60 * MINUTE

const START = Date.UTC(2026, 0, 1)

const at = (ms: number): string => new Date(START + ms).toISOString()

describe('the expiration of a new token', () => {
  it.each<[string | number, number]>([
    ['1m', MINUTE],
    ['60000000001ns', MINUTE],
    ['1h30m', 90 * MINUTE],
    ['24h', 24 * HOUR],
    [MINUTE * 1e6, MINUTE],
    [24 * HOUR * 1e6, 24 * HOUR],
  ])('can be %s after its creation', async (ExpirationTTL, ms) => {
    await using world = await configWorld()
    const { ExpirationTime } = await answered(world.ask('PUT', 'acl/token', { ExpirationTTL }))
    expect(ExpirationTime).toBe(at(ms))
    expect((await world.service.tokens.create({ ExpirationTTL })).ExpirationTime).toBe(at(ms))
  })

  it.each<[string, number]>([
    [at(MINUTE), MINUTE],
    [at(24 * HOUR), 24 * HOUR],
    ['2026-01-01T03:00:00.123456789+02:00', HOUR + 123],
  ])('can be the time %s', async (ExpirationTime, ms) => {
    await using world = await configWorld()
    expect((await answered(world.ask('PUT', 'acl/token', { ExpirationTime }))).ExpirationTime).toBe(at(ms))
  })

  it.each([0, '0', '0s', null])('is absent if ExpirationTTL is %j', async (ExpirationTTL) => {
    await using world = await configWorld()
    expect(await answered(world.ask('PUT', 'acl/token', { ExpirationTTL }))).not.toHaveProperty('ExpirationTime')
  })

  it.each([
    [{ ExpirationTTL: '59.9s' }],
    [{ ExpirationTTL: '24h0m0.000000001s' }],
    [{ ExpirationTTL: '-1h' }],
    [{ ExpirationTTL: '1d' }],
    [{ ExpirationTTL: '60' }],
    [{ ExpirationTTL: '' }],
    [{ ExpirationTTL: 60 }],
    [{ ExpirationTTL: 1.5 }],
    [{ ExpirationTTL: 1e300 }],
    [{ ExpirationTTL: true }],
    [{ ExpirationTTL: ['1h'] }],
    [{ ExpirationTTL: `${'1h'.repeat(100_000)}` }],
    [{ ExpirationTime: at(MINUTE - 1) }],
    [{ ExpirationTime: at(24 * HOUR + 1) }],
    [{ ExpirationTime: at(0) }],
    [{ ExpirationTime: at(-HOUR) }],
    [{ ExpirationTime: '' }],
    [{ ExpirationTime: 'tomorrow' }],
    [{ ExpirationTime: 1_800_000_000 }],
    [{ ExpirationTime: '2026-02-30T00:00:00Z' }],
    [{ ExpirationTTL: '1h', ExpirationTime: at(HOUR) }],
  ])('is refused if the body is %j', async (body) => {
    await using world = await configWorld()
    const refused = await world.ask('PUT', 'acl/token', body)
    expect(refused).toMatchObject({ status: 400, body: expect.stringMatching(/Expiration/) })
    expect(refused.body.length).toBeLessThan(300)
  })
})

it('an expired token is refused for every request, even before a tick deletes it', async () => {
  await using world = await configWorld()
  const { tokens } = world.service
  const { AccessorID, SecretID } = await tokens.create({ Policies: [{ Name: 'global-management' }], ExpirationTTL: '1h' })
  const uses: readonly [verb: string, path: string, body?: object][] = [
    ['GET', 'acl/token/self'],
    ['GET', 'acl/tokens'],
    ['PUT', 'acl/policy', { Name: 'p' }],
    ['POST', 'internal/acl/authorize', []],
  ]
  await world.clock.advance(HOUR - 1)
  for (const [verb, path, body] of uses) expect((await world.ask(verb, path, body, SecretID)).status).toBe(200)
  await world.clock.advance(1)
  for (const [verb, path, body] of uses)
    expect(await world.ask(verb, path, body, SecretID)).toMatchObject({ status: 403, body: 'ACL not found' })
  expect((await tokens.list()).map((token) => token.AccessorID)).not.toContain(AccessorID)
  expect((await world.ask('GET', `acl/token/${AccessorID}`)).status).toBe(404)
  expect((await world.ask('PUT', `acl/token/${AccessorID}`, {})).status).toBe(400)
  expect((await world.ask('PUT', `acl/token/${AccessorID}/clone`, {})).status).toBe(404)
  expect(await answered(world.ask('DELETE', `acl/token/${AccessorID}`))).toBe(false)
})

describe('a tick', () => {
  it('deletes only expired tokens, and raises the index once for each of them', async () => {
    const storage = memoryStorage()
    await using world = await configWorld({ storage })
    const { tokens } = world.service
    const keys = async () => (await storage.scan('')).map(({ key }) => key).filter((key) => /token|accessor|due/.test(key))
    const before = await keys()
    const staying = await tokens.create({ ExpirationTTL: '2h' })
    const withStaying = await keys()
    for (let i = 0; i < 5; i++) await tokens.create({ ExpirationTTL: '1h' })
    const index = async () => Number((await world.ask('GET', 'acl/tokens')).headers['X-Config-Index'])
    const known = await index()
    expect(await world.service.tick()).toMatchObject({ done: 0, nextDueAt: START + HOUR })
    await world.clock.advance(HOUR)
    expect(await world.service.tick()).toMatchObject({ done: 5, failed: [], nextDueAt: START + 2 * HOUR })
    expect(await keys()).toEqual(withStaying)
    expect(await index()).toBe(known + 5)
    expect(await world.service.tick()).toMatchObject({ done: 0 })
    expect((await tokens.list()).map(({ AccessorID }) => AccessorID)).toContain(staying.AccessorID)
    await world.clock.advance(HOUR)
    expect(await world.service.tick()).toMatchObject({ done: 1, nextDueAt: undefined })
    expect(await keys()).toEqual(before)
  })

  it('wakes blocking reads of an expired token that it deletes', async () => {
    await using world = await configWorld()
    const { AccessorID } = await world.service.tokens.create({ ExpirationTTL: '1m' })
    const { headers } = await world.ask('GET', `acl/token/${AccessorID}`)
    const waiting = world.ask('GET', `acl/token/${AccessorID}?index=${headers['X-Config-Index']}&wait=10m`)
    await world.clock.advance(MINUTE)
    await world.service.tick()
    expect((await waiting).status).toBe(404)
  })

  it('deletes an expired token once, however far the clock jumps', async () => {
    await using world = await configWorld()
    await world.service.tokens.create({ ExpirationTTL: '1h' })
    world.clock.set(START + 10 * 365 * 24 * HOUR)
    expect(await world.service.tick()).toMatchObject({ done: 1, nextDueAt: undefined })
    expect(await world.service.tick()).toMatchObject({ done: 0 })
  })

  it('does not delete a token that is valid again because the clock was set back', async () => {
    await using world = await configWorld()
    const { SecretID } = await world.service.tokens.create({ ExpirationTTL: '1h' })
    const self = () => world.ask('GET', 'acl/token/self', undefined, SecretID)
    await world.clock.advance(HOUR)
    expect((await self()).status).toBe(403)
    world.clock.set(START)
    expect((await self()).status).toBe(200)
    expect(await world.service.tick()).toMatchObject({ done: 0 })
    world.clock.set(START + HOUR)
    expect(await world.service.tick()).toMatchObject({ done: 1 })
    expect((await self()).status).toBe(403)
  })

  it('deletes each expired token in only one of two processes that run it concurrently', async () => {
    const storage = memoryStorage()
    const clock = fakeClock()
    const options = { storage, plaintext: true, clock } as const
    await using firstService = await createConfigService(options)
    await using two = await createConfigService(options)
    for (let i = 0; i < 20; i++) await firstService.tokens.create({ ExpirationTTL: '1m' })
    await clock.advance(MINUTE)
    const results = await Promise.all([firstService.tick(), two.tick()])
    expect(results.flatMap(({ failed }) => failed)).toEqual([])
    expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(20)
    expect(await two.tokens.list()).toHaveLength(1)
  })
})

it('requests with a token succeed until the token expires, in any order of creation, clock changes and ticks', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ does: fc.constant('make' as const), by: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ does: fc.constant('wait' as const), by: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ does: fc.constant('tick' as const), by: fc.constant(0) }),
    ),
    { maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await using world = await configWorld()
      const ask = askOf(world.service)
      const made: { readonly SecretID: string; readonly ends: number }[] = []
      for (const { does, by } of all) {
        if (does === 'wait') await world.clock.advance(by * MINUTE)
        else if (does === 'tick') await world.service.tick()
        else {
          const { SecretID } = await world.service.tokens.create({ ExpirationTTL: `${by}m` })
          made.push({ SecretID, ends: world.clock.now() + by * MINUTE })
        }
        for (const { SecretID, ends } of made)
          expect((await ask('GET', 'acl/token/self', undefined, SecretID)).status).toBe(world.clock.now() < ends ? 200 : 403)
      }
    }),
    { numRuns: 50 },
  )
})
