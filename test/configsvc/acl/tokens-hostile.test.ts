/** Hostile requests about tokens are refused quickly, and never fail with a 5xx. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { answered, configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { calledStorage } from '../called-storage.ts'
import { HUGE_TOKENS } from './huge-tokens.ts'

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

const RUNS = runs({ quick: 300, soak: 5000 })

it('creating a token from any body returns a token or a refusal, but no 5xx', async () => {
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

it('the token endpoints return no 5xx for any path and any SecretID', async () => {
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

describe('creating a token by a typed call', () => {
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
  ])('is rejected with a TypeError for the argument %j', async (args) => {
    await using world = await configWorld()
    await expect(world.service.tokens.create(args as never)).rejects.toThrow(TypeError)
  })
})

it.each(HUGE_TOKENS)('a token with huge lists is refused with a short message, and nothing is written: %s', async (_, body) => {
  const { storage, calls } = calledStorage(memoryStorage())
  await using world = await configWorld({ storage })
  calls.length = 0
  const { status, body: refusal } = await world.ask('PUT', 'acl/token', Buffer.from(JSON.stringify(body)))
  expect([400, 413]).toContain(status)
  expect(String(refusal).length).toBeLessThan(1000)
  expect(calls).not.toContain('commit')
})

it('a very long SecretID is refused without a lookup', async () => {
  await using world = await configWorld()
  const { AccessorID } = await answered(world.ask('PUT', 'acl/token', {}))
  for (const secret of ['x'.repeat(257), 'x'.repeat(1_000_000), AccessorID, `${AccessorID} `])
    expect(await world.ask('GET', 'acl/token/self', undefined, secret)).toMatchObject({ status: 403 })
})
