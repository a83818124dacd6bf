/**
 * A clock that shows no time: what ends by it has ended, and nothing is made that needs it.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type ConfigWorld, configWorld } from '../fixtures/configsvc.ts'
import { EVERY_CONFIG_OPERATION, operationWorld } from '../fixtures/configsvc-operations.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'

const NO_TIMES = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]

/** A clock of a test that shows something else on demand. */
function breakable() {
  const clock = fakeClock()
  const state: { shown: number | undefined } = { shown: undefined }
  return { state, clock: { ...clock, now: () => state.shown ?? clock.now(), sleep: clock.sleep.bind(clock) } }
}

const METHOD = 'method'
const login = (name: string) => ({
  AuthMethod: METHOD,
  BearerToken: token('ES256', { iat: Date.UTC(2026, 0, 1) / 1000, name }),
})

async function open() {
  const { state, clock } = breakable()
  const storage = memoryStorage()
  const world: ConfigWorld = await configWorld({ clock, storage })
  const { service, ask } = world
  const Config = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'], ClaimMappings: { name: 'name' } }
  await service.authMethods.create({ Name: METHOD, Type: 'jwt', Config, MaxTokenTTL: '1h' })
  await service.bindingRules.create({ AuthMethod: METHOD, BindType: 'service', BindName: 'web' })
  const all = await service.policies.create({ Name: 'all', Rules: 'acl = "write" service_prefix "" { policy = "write" }' })
  const ending = await service.tokens.create({ Policies: [{ ID: all.ID }], ExpirationTTL: '24h' })
  const loggedIn = (await ask('POST', 'acl/login', login('a'), '')).body
  return { ...world, state, secrets: [ending.SecretID, loggedIn.SecretID as string], accessor: ending.AccessorID }
}

describe.each(NO_TIMES)('a clock that shows %s', (shown) => {
  it('ends every token that has an end, for every operation', async () => {
    await using operations = await operationWorld()
    await using world = await open()
    const { state, ask, service, secrets, accessor } = world
    state.shown = shown
    for (const known of EVERY_CONFIG_OPERATION) {
      const { title, operation } = known
      if (['service.login', 'acl.bootstrap'].includes(title)) continue
      for (const secret of secrets) {
        const answer = await ask(operation.verb, operations.path(known, 'something'), operations.body(known), secret)
        // Templates are the same for everybody, but not for a token that has ended.
        expect([title, answer.status]).toEqual([title, 403])
      }
    }
    for (const secret of secrets) {
      await expect(service.as(secret).tokens.readSelf()).rejects.toMatchObject({ status: 403 })
    }
    expect((await service.tokens.list()).map(({ AccessorID }) => AccessorID)).not.toContain(accessor)
    await expect(service.tokens.read({ AccessorID: accessor })).rejects.toMatchObject({ status: 404 })
  })

  it('answers 503 to what would store the time, and 4xx or 2xx to everything else', async () => {
    await using operations = await operationWorld()
    await using world = await open()
    const { state, ask } = world
    state.shown = shown
    for (const ExpirationTTL of ['1h', undefined])
      expect((await ask('PUT', 'acl/token', { ...(ExpirationTTL && { ExpirationTTL }) })).status).toBe(503)
    expect((await ask('PUT', 'acl/token', { ExpirationTime: '2026-01-01T01:00:00Z' })).status).toBe(503)
    expect([403, 503]).toContain((await ask('POST', 'acl/login', login('b'), '')).status)
    for (const known of EVERY_CONFIG_OPERATION) {
      const { operation, title } = known
      const { status } = await ask(operation.verb, operations.path(known, 'something'), operations.body(known))
      expect([title, status < 500 || status === 503]).toEqual([title, true])
    }
  })

  it('ends a wait at once', async () => {
    await using world = await open()
    world.state.shown = shown
    expect((await world.ask('GET', 'acl/policies?index=99&wait=5m')).status).toBe(200)
  })

  it('lets no tick clear away tokens, which are good again with the time', async () => {
    await using world = await open()
    const { state, service, secrets } = world
    state.shown = shown
    await service.tick({ limit: 100 }).catch(() => undefined)
    state.shown = undefined
    for (const secret of secrets) expect((await service.as(secret).tokens.readSelf()).SecretID).toBe(secret)
  })
})
