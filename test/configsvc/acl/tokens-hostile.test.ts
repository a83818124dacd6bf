/** Whatever is sent for a token: a refusal, quickly, and never a failure. */
import { describe, expect, it } from 'vitest'
import { answered, configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'
import { MEASURED } from '../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../fixtures/slowness.ts'

const MEMBERS = [
  'AccessorID',
  'SecretID',
  'Description',
  'Policies',
  'Roles',
  'TemplatedPolicies',
  'ServiceIdentities',
  'NodeIdentities',
  'Local',
  'AuthMethod',
  'ExpirationTTL',
  'ExpirationTime',
  'Rules',
  'Namespace',
  'Partition',
] as const

const RUNS = process.env['SLOW'] ? 5000 : 300

it('answers any body with a token or a refusal', async () => {
  await using world = await configWorld()
  const { AccessorID } = await world.service.tokens.create({ ExpirationTTL: '24h' })
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      '',
      'dc1',
      '1h',
      AccessorID,
      '2026-01-01T05:00:00Z',
      [{}],
      [{ ID: AccessorID }],
      [{ Name: 'global-management' }],
    ),
    fc.constantFrom<unknown>(
      [null],
      [[]],
      [{ ServiceName: 'a', Datacenters: null }],
      [{ TemplateName: 'builtin/dns' }],
      -1,
      1e21,
    ),
  )
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom(...MEMBERS), value, { maxKeys: 4 }),
    fc.dictionary(fc.string(), value, { maxKeys: 2 }),
    value,
  )
  const path = fc.constantFrom('acl/token', `acl/token/${AccessorID}`, `acl/token/${AccessorID}/clone`, 'acl/bootstrap')
  await fc.assert(
    fc.asyncProperty(path, body, async (at, sent) => {
      const { status, body: answer } = await world.ask('PUT', at, sent)
      expect([200, 400, 403]).toContain(status)
      if (status !== 200) expect(answer).toEqual(expect.any(String))
    }),
    { numRuns: RUNS },
  )
})

it('answers any path and any token', async () => {
  await using world = await configWorld()
  const part = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom('self', '..', '%2f', 'clone', '00000000-0000-0000-0000-000000000002'),
  )
  const verb = fc.constantFrom('GET', 'PUT', 'DELETE', 'POST', 'LIST', 'HEAD')
  await fc.assert(
    fc.asyncProperty(verb, part, fc.string(), async (method, name, token) => {
      const path = `/v1/acl/token/${encodeURIComponent(name)}`
      const { status } = await world.service.handle({ method, path, headers: { 'X-Config-Token': token } })
      expect(status).toBeLessThan(500)
    }),
    { numRuns: RUNS },
  )
})

describe('takes wrong types of typed calls for the mistakes they are', () => {
  it.each([
    [{ Description: 7 }],
    [{ SecretID: null, AccessorID: 7 }],
    [{ Local: 'true' }],
    [{ Policies: 'p' }],
    [{ Policies: ['p'] }],
    [{ Roles: [{ id: 'x' }] }],
    [{ ServiceIdentities: {} }],
    [{ ExpirationTTL: true }],
    [{ ExpirationTime: new Date(0) }],
    [{ Unknown: 1 }],
  ])('%j', async (args) => {
    await using world = await configWorld()
    await expect(world.service.tokens.create(args as never)).rejects.toThrow(TypeError)
  })
})

describe('refuses what is huge', () => {
  const text = 'x'.repeat(1_000_000)
  it.each<[string, object]>([
    ['SecretID', { SecretID: text }],
    ['AccessorID', { AccessorID: text }],
    ['AuthMethod', { AuthMethod: text }],
    ['ExpirationTTL', { ExpirationTTL: text }],
    ['digits', { ExpirationTTL: '9'.repeat(1_000_000) }],
    ['ExpirationTime', { ExpirationTime: text }],
    ['Namespace', { Namespace: text }],
    ['links', { Policies: Array.from({ length: 50_000 }, () => ({ ID: 'x' })) }],
    ['identities', { ServiceIdentities: Array.from({ length: 40_000 }, (_, i) => ({ ServiceName: `s${i}` })) }],
    ['a body', { Description: 'x'.repeat(1_100_000) }],
  ])('%s', MEASURED, async (_, body) => {
    await using world = await configWorld()
    const raw = Buffer.from(JSON.stringify(body))
    const before = process.cpuUsage()
    const { status, body: refusal } = await world.ask('PUT', 'acl/token', raw)
    const { user } = process.cpuUsage(before)
    expect([400, 413]).toContain(status)
    expect(String(refusal).length).toBeLessThan(1000)
    expect(user / 1000).toBeLessThan(4 * LONGEST_STRETCH_MS)
  })
})

it('takes a long secret for no token, without looking for it', async () => {
  await using world = await configWorld()
  const { AccessorID } = await answered(world.ask('PUT', 'acl/token', {}))
  for (const secret of ['x'.repeat(257), 'x'.repeat(1_000_000), AccessorID, `${AccessorID} `])
    expect(await world.ask('GET', 'acl/token/self', undefined, secret)).toMatchObject({ status: 403 })
})
