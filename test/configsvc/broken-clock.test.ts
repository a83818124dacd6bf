/**
 * A clock that returns no valid time: tokens with an expiration are refused, and nothing is created or deleted.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type ConfigWorld, configWorld } from '../fixtures/configsvc.ts'
import { EVERY_CONFIG_OPERATION, operationWorld } from '../fixtures/configsvc-operations.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'
import { settle } from './turns.ts'

const NO_TIMES = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]

/** A test clock that returns another value on demand. */
function breakable() {
  const fake = fakeClock()
  const state: { shown: number | undefined } = { shown: undefined }
  return { state, fake, clock: { ...fake, now: () => state.shown ?? fake.now(), sleep: fake.sleep.bind(fake) } }
}

const METHOD = 'method'
const login = (name: string) => ({
  AuthMethod: METHOD,
  BearerToken: token('ES256', { iat: Date.UTC(2026, 0, 1) / 1000, name }),
})

async function open() {
  const { state, fake, clock } = breakable()
  const storage = memoryStorage()
  const world: ConfigWorld = await configWorld({ clock, storage })
  const { service, ask } = world
  const Config = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'], ClaimMappings: { name: 'name' } }
  await service.authMethods.create({ Name: METHOD, Type: 'jwt', Config, MaxTokenTTL: '1h' })
  await service.bindingRules.create({ AuthMethod: METHOD, BindType: 'service', BindName: 'web' })
  const all = await service.policies.create({ Name: 'all', Rules: 'acl = "write" service_prefix "" { policy = "write" }' })
  const ending = await service.tokens.create({ Policies: [{ ID: all.ID }], ExpirationTTL: '24h' })
  const loggedIn = (await ask('POST', 'acl/login', login('a'), '')).body
  return {
    ...world,
    state,
    secrets: [ending.SecretID, loggedIn.SecretID as string],
    wake: () => fake.advance(120_000),
    async [Symbol.asyncDispose]() {
      state.shown = undefined
      await world[Symbol.asyncDispose]()
    },
  }
}

describe.each(NO_TIMES)('a configuration service whose clock returns %s', (shown) => {
  it('refuses requests with an expiring token with 503', async () => {
    await using operations = await operationWorld()
    await using world = await open()
    const { state, ask, service, secrets } = world
    state.shown = shown
    for (const known of EVERY_CONFIG_OPERATION)
      for (const secret of secrets) {
        const { operation, title } = known
        const answer = await ask(operation.verb, operations.path(known, 'something'), operations.body(known), secret)
        expect([title, answer.status]).toEqual([title, 503])
      }
    for (const secret of secrets) await expect(service.as(secret).tokens.readSelf()).rejects.toMatchObject({ status: 503 })
  })

  it('refuses to create tokens with 503, and creates none', async () => {
    await using operations = await operationWorld()
    await using world = await open()
    const { state, ask } = world
    const tokens = async () => (await ask('GET', 'acl/tokens')).body.length as number
    const before = await tokens()
    state.shown = shown
    for (const end of [{ ExpirationTTL: '1h' }, {}, { ExpirationTime: '2026-01-01T01:00:00Z' }])
      expect((await ask('PUT', 'acl/token', end)).status).toBe(503)
    expect((await ask('POST', 'acl/login', login('b'), '')).status).toBe(503)
    for (const known of EVERY_CONFIG_OPERATION) {
      const { operation, title } = known
      const { status } = await ask(operation.verb, operations.path(known, 'something'), operations.body(known))
      expect([title, status]).toEqual([title, 503])
    }
    state.shown = undefined
    expect(await tokens()).toBe(before)
  })

  it('ends blocking reads with 503', async () => {
    await using world = await open()
    const waiting = world.ask('GET', 'acl/policies?index=99&wait=1m')
    await settle()
    world.state.shown = shown
    await world.wake()
    expect((await waiting).status).toBe(503)
  })

  it('deletes no token in a tick, so expiring tokens are valid again when the clock is correct', async () => {
    await using world = await open()
    const { state, service, secrets } = world
    state.shown = shown
    await service.tick({ limit: 100 }).catch(() => undefined)
    state.shown = undefined
    for (const secret of secrets) expect((await service.as(secret).tokens.readSelf()).SecretID).toBe(secret)
  })
})
