import { describe, expect, it } from 'vitest'
import { answered, askOf, type ConfigWorld, configWorld, ROOT } from '../../fixtures/configsvc.ts'

const MANAGEMENT = '00000000-0000-0000-0000-000000000001'

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const CHOSEN = '0f9d7a10-1c2b-4a3d-9e8f-a1b2c3d4e5f1'

const OTHER = '0f9d7a20-1c2b-4a3d-9e8f-a1b2c3d4e5f2'

/** A token with the permissions of these rules. */
async function tokenWith({ service }: ConfigWorld, rules: string) {
  const { ID } = await service.policies.create({ Name: `p${Math.random()}`.replace('.', ''), Rules: rules })
  return service.tokens.create({ Policies: [{ ID }] })
}

it('a new token is returned with its SecretID, which later reads by others hide', async () => {
  await using world = await configWorld()
  const made = await answered(world.ask('PUT', 'acl/token', { Policies: [{ Name: 'global-management' }] }))
  expect(made).toEqual({
    AccessorID: expect.stringMatching(UUID),
    SecretID: expect.stringMatching(UUID),
    Description: '',
    Policies: [{ ID: MANAGEMENT, Name: 'global-management' }],
    Local: false,
    CreateTime: '2026-01-01T00:00:00.000Z',
    Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    CreateIndex: expect.any(Number),
    ModifyIndex: made.CreateIndex,
  })
  const hidden = { ...made, SecretID: '<hidden>' }
  const { AccessorID, SecretID } = made
  expect(await answered(world.ask('GET', `acl/token/${AccessorID}`))).toEqual(hidden)
  expect(await answered(world.ask('GET', `acl/token/${AccessorID}`, undefined, SecretID))).toEqual(hidden)
  expect(await answered(world.ask('GET', 'acl/tokens'))).toContainEqual(hidden)
  expect(await answered(world.ask('GET', 'acl/token/self', undefined, SecretID))).toEqual(made)
  expect(await world.service.as(SecretID).tokens.readSelf()).toEqual(made)
  expect(await world.service.tokens.read({ AccessorID })).toEqual(hidden)
})

describe('GET /v1/acl/token/self', () => {
  it('requires no permission', async () => {
    await using world = await configWorld()
    const { AccessorID, SecretID } = await world.service.tokens.create()
    const self = await answered(world.ask('GET', 'acl/token/self', undefined, SecretID))
    expect(self).toMatchObject({ AccessorID, SecretID })
    expect((await world.ask('GET', `acl/token/${AccessorID}`, undefined, SecretID)).status).toBe(403)
  })

  it('requires a token', async () => {
    await using world = await configWorld()
    for (const secret of ['', OTHER, 'anonymous', 'x'.repeat(100_000)])
      expect(await world.ask('GET', 'acl/token/self', undefined, secret)).toMatchObject({ status: 403, body: 'ACL not found' })
    await expect(world.service.tokens.readSelf()).rejects.toMatchObject({ status: 403 })
  })

  it('accepts no other verb', async () => {
    await using world = await configWorld()
    for (const verb of ['PUT', 'DELETE', 'POST'])
      expect(await world.ask(verb, 'acl/token/self')).toMatchObject({ status: 405, headers: { Allow: 'OPTIONS,GET' } })
  })

  it('accepts the token in the query or as a bearer token', async () => {
    await using world = await configWorld()
    const request = { method: 'GET', path: '/v1/acl/token/self' }
    const sent = [{ query: { token: ROOT } }, { headers: { Authorization: `Bearer ${ROOT}` } }]
    for (const how of sent) expect(await world.service.handle({ ...request, ...how })).toMatchObject({ body: { SecretID: ROOT } })
  })
})

describe('a chosen AccessorID or SecretID', () => {
  it('becomes the ID of the new token', async () => {
    await using world = await configWorld()
    const made = await answered(world.ask('PUT', 'acl/token', { AccessorID: CHOSEN, SecretID: OTHER, Description: 'd' }))
    expect(made).toMatchObject({ AccessorID: CHOSEN, SecretID: OTHER })
    expect(await answered(world.ask('GET', 'acl/token/self', undefined, OTHER))).toEqual(made)
  })

  it('can be used again after its token was deleted, and gives none of the former permissions', async () => {
    await using world = await configWorld()
    const first = { AccessorID: CHOSEN, SecretID: OTHER, ExpirationTTL: '1h', Policies: [{ ID: MANAGEMENT }] }
    await world.service.tokens.create(first)
    await world.service.tokens.delete({ AccessorID: CHOSEN })
    await world.service.tokens.create({ AccessorID: CHOSEN, SecretID: OTHER })
    expect((await world.ask('GET', 'acl/tokens', undefined, OTHER)).status).toBe(403)
    await world.clock.advance(7_200_000)
    await world.service.tick()
    expect((await world.ask('GET', 'acl/token/self', undefined, OTHER)).status).toBe(200)
  })

  it.each([
    ['AccessorID', { AccessorID: CHOSEN, SecretID: CHOSEN }],
    ['AccessorID', { AccessorID: CHOSEN.toUpperCase() }],
    ['SecretID', { SecretID: '<hidden>' }],
    ['SecretID', { SecretID: ROOT }],
    ['SecretID', { SecretID: ANONYMOUS }],
    ['AccessorID', { AccessorID: ROOT }],
  ])('is refused because of %s: %j', async (name, body) => {
    await using world = await configWorld()
    const refused = await world.ask('PUT', 'acl/token', body)
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining(name) })
    for (const value of Object.values(body)) expect(refused.body).not.toContain(value)
  })

  it('is given to only one of many concurrent callers', async () => {
    await using world = await configWorld()
    const wanting = Array.from({ length: 16 }, (_, i) =>
      world.ask('PUT', 'acl/token', { [i % 2 ? 'SecretID' : 'AccessorID']: CHOSEN }),
    )
    const statuses = (await Promise.all(wanting)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(15)
  })
})

describe('an update of a token', () => {
  it('replaces the description and the grants, but not the other members', async () => {
    await using world = await configWorld()
    const { tokens, roles } = world.service
    const { ID } = await roles.create({ Name: 'r' })
    const made = await tokens.create({
      Description: 'd',
      Policies: [{ ID: MANAGEMENT }],
      Roles: [{ ID }],
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
      TemplatedPolicies: [{ TemplateName: 'builtin/dns' }],
      Local: true,
      ExpirationTTL: '1h',
    })
    await world.clock.advance(1000)
    const { AccessorID, SecretID, Local, CreateIndex, CreateTime, ExpirationTime } = made
    const updated = await answered(world.ask('PUT', `acl/token/${AccessorID}`, { Roles: [{ Name: 'R' }] }))
    expect(updated).toEqual({
      AccessorID,
      SecretID: '<hidden>',
      Description: '',
      Roles: [{ ID, Name: 'r' }],
      Local,
      CreateTime,
      ExpirationTime,
      Hash: expect.not.stringContaining(made.Hash),
      CreateIndex,
      ModifyIndex: made.ModifyIndex + 1,
    })
    expect(await answered(world.ask('GET', 'acl/token/self', undefined, SecretID))).toEqual({ ...updated, SecretID })
  })

  it('accepts a body that was read before, as JSON or as the Go client sends it', async () => {
    await using world = await configWorld()
    const made = await answered(world.ask('PUT', 'acl/token', { Description: 'd', ExpirationTTL: '1h' }))
    const { AccessorID } = made
    const sendings = [
      made,
      { ...made, SecretID: '<hidden>' },
      { ...made, SecretID: '', ExpirationTTL: 3_600_000_000_000 },
      {
        CreateIndex: 0,
        ModifyIndex: 0,
        AccessorID,
        SecretID: '',
        Description: 'd',
        Local: false,
        CreateTime: '0001-01-01T00:00:00Z',
        ExpirationTTL: 0,
        ExpirationTime: null,
        Hash: null,
        Policies: null,
        Rules: '',
      },
      { accessorid: AccessorID, description: 'd', expirationttl: '0s', ExpirationTime: '0001-01-01T00:00:00Z' },
    ]
    for (const body of sendings) {
      const updated = await answered(world.ask('PUT', `acl/token/${AccessorID}`, body))
      expect(updated).toEqual({ ...made, SecretID: '<hidden>', ModifyIndex: updated.ModifyIndex })
    }
  })

  it('applies immediately to requests with the token', async () => {
    await using world = await configWorld()
    const { AccessorID, SecretID } = await world.service.tokens.create()
    const list = () => world.ask('GET', 'acl/tokens', undefined, SecretID)
    expect((await list()).status).toBe(403)
    await world.service.tokens.update({ AccessorID, Policies: [{ Name: 'builtin/global-read-only' }] })
    expect((await list()).status).toBe(200)
    await world.service.tokens.update({ AccessorID })
    expect((await list()).status).toBe(403)
  })

  it.each([
    ['SecretID', { SecretID: OTHER }],
    ['Local', { Local: true }],
    ['AuthMethod', { AuthMethod: 'm' }],
    ['expiration', { ExpirationTTL: '2h' }],
    ['expiration', { ExpirationTime: '2026-01-01T00:30:00Z' }],
    ['Rules', { Rules: 'acl = "write"' }],
    ['unknown field', { Polices: [] }],
  ])('is refused if it changes %s', async (name, body) => {
    await using world = await configWorld()
    const { AccessorID } = await world.service.tokens.create({ ExpirationTTL: '1h' })
    const refused = await world.ask('PUT', `acl/token/${AccessorID}`, body)
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining(name) })
  })

  it('is refused if the token does not exist', async () => {
    await using world = await configWorld()
    for (const id of [OTHER, 'x', '..%2f', MANAGEMENT]) expect((await world.ask('PUT', `acl/token/${id}`, {})).status).toBe(400)
  })
})

describe('a clone of a token', () => {
  it('has the same grants and expiration, and other IDs', async () => {
    await using world = await configWorld()
    const made = await world.service.tokens.create({ Description: 'd', ExpirationTTL: '1h', Policies: [{ ID: MANAGEMENT }] })
    await world.clock.advance(60_000)
    const clone = await answered(world.ask('PUT', `acl/token/${made.AccessorID}/clone`, { Description: 'of it' }))
    expect(clone).toEqual({
      ...made,
      AccessorID: expect.stringMatching(UUID),
      SecretID: expect.stringMatching(UUID),
      Description: 'of it',
      Hash: expect.any(String),
      CreateTime: '2026-01-01T00:01:00.000Z',
      CreateIndex: made.CreateIndex + 1,
      ModifyIndex: made.CreateIndex + 1,
    })
    expect(new Set([made.AccessorID, made.SecretID, clone.AccessorID, clone.SecretID]).size).toBe(4)
    expect((await world.ask('GET', 'acl/tokens', undefined, clone.SecretID)).status).toBe(200)
    await world.service.tokens.delete({ AccessorID: made.AccessorID })
    expect((await world.ask('GET', 'acl/tokens', undefined, clone.SecretID)).status).toBe(200)
  })

  it('has the description of its original if none is given', async () => {
    await using world = await configWorld()
    const { AccessorID } = await world.service.tokens.create({ Description: 'd' })
    expect(await world.service.tokens.clone({ AccessorID })).toMatchObject({ Description: 'd' })
    expect((await world.ask('PUT', `acl/token/${OTHER}/clone`, {})).status).toBe(404)
    await expect(world.service.tokens.clone({ AccessorID: OTHER })).rejects.toMatchObject({ status: 404 })
  })
})

describe('a deleted token', () => {
  it('is refused immediately, and cannot be read again', async () => {
    await using world = await configWorld()
    const { AccessorID, SecretID } = await world.service.tokens.create({ Policies: [{ ID: MANAGEMENT }] })
    expect(await answered(world.ask('DELETE', `acl/token/${AccessorID}`))).toBe(true)
    expect(await world.ask('GET', 'acl/tokens', undefined, SecretID)).toMatchObject({ status: 403, body: 'ACL not found' })
    expect((await world.ask('GET', `acl/token/${AccessorID}`)).status).toBe(404)
    expect(await answered(world.ask('DELETE', `acl/token/${AccessorID}`))).toBe(false)
    expect(await answered(world.ask('DELETE', 'acl/token/no-uuid'))).toBe(false)
  })

  it('cannot be the token of the request or the anonymous token', async () => {
    await using world = await configWorld()
    const { AccessorID } = await answered(world.ask('GET', 'acl/token/self'))
    for (const id of [AccessorID, ANONYMOUS]) expect((await world.ask('DELETE', `acl/token/${id}`)).status).toBe(400)
    expect((await world.ask('GET', 'acl/token/self')).status).toBe(200)
    expect(await world.service.tokens.delete({ AccessorID })).toBe(true)
  })
})

it('the anonymous token can be given policies, which then apply to requests without a token', async () => {
  await using world = await configWorld()
  const list = () => world.ask('GET', 'acl/tokens', undefined, '')
  expect((await list()).status).toBe(403)
  const Policies = [{ Name: 'builtin/global-read-only' }]
  const updated = await answered(world.ask('PUT', `acl/token/${ANONYMOUS}`, { Description: 'anybody', Policies }))
  expect(updated).toMatchObject({ AccessorID: ANONYMOUS, SecretID: '<hidden>' })
  expect((await list()).status).toBe(200)
})

describe('the list of tokens', () => {
  it('can be filtered by policy, role or service identity', async () => {
    await using world = await configWorld()
    const { tokens, policies, roles } = world.service
    const policy = (await policies.create({ Name: 'p' })).ID
    const role = (await roles.create({ Name: 'r', Policies: [{ ID: policy }] })).ID
    const plain = await tokens.create()
    const byPolicy = await tokens.create({ Policies: [{ ID: policy }] })
    const byRole = await tokens.create({ Roles: [{ ID: role }] })
    const byService = await tokens.create({ ServiceIdentities: [{ ServiceName: 'web' }] })
    const byTemplate = await tokens.create({
      TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { name: 'web' } }],
    })
    const ids = (list: readonly { readonly AccessorID: string }[]) => list.map(({ AccessorID }) => AccessorID)
    const listedIds = async (query: string) => ids(await answered(world.ask('GET', `acl/tokens${query}`)))
    const sorted = (...made: readonly { readonly AccessorID: string }[]) => ids(made).sort()
    const all = await listedIds('')
    expect(all).toEqual([...all].sort())
    expect(all).toHaveLength(7)
    expect(all).toEqual(expect.arrayContaining(sorted(plain, byPolicy, byRole, byService, byTemplate)))
    expect(await listedIds(`?policy=${policy}`)).toEqual(sorted(byPolicy))
    expect(await listedIds(`?role=${role}`)).toEqual(sorted(byRole))
    expect(await listedIds('?servicename=web')).toEqual(sorted(byService, byTemplate))
    expect(await listedIds(`?policy=${policy}&role=${role}`)).toEqual([])
    expect(await listedIds('?authmethod=none')).toEqual([])
    expect(ids(await tokens.list({ policy }))).toEqual(sorted(byPolicy))
    await policies.delete({ ID: policy })
    expect(await listedIds(`?policy=${policy}`)).toEqual(sorted(byPolicy))
  })

  it('contains the tokens of one namespace or of all namespaces', async () => {
    await using world = await configWorld()
    const made = await world.service.tokens.create({ Namespace: 'team' })
    expect(made).toMatchObject({ Namespace: 'team' })
    const { AccessorID } = made
    const seen = async (query: string) =>
      (await answered(world.ask('GET', `acl/tokens${query}`))).map(({ AccessorID: id }: typeof made) => id)
    expect(await seen('?ns=team')).toEqual([AccessorID])
    expect(await seen('')).not.toContain(AccessorID)
    expect(await seen('?ns=*')).toHaveLength(3)
    expect((await world.ask('GET', `acl/token/${AccessorID}`)).status).toBe(404)
    expect((await world.ask('GET', `acl/token/${AccessorID}?ns=team`)).status).toBe(200)
    expect(await answered(world.ask('DELETE', `acl/token/${AccessorID}`))).toBe(false)
  })

  it('can be waited for with a blocking read, which wakes only for changes of tokens', async () => {
    await using world = await configWorld()
    const first = await world.ask('GET', 'acl/tokens')
    let ended = false
    const waiting = world.ask('GET', `acl/tokens?index=${first.headers['X-Config-Index']}`).finally(() => {
      ended = true
    })
    await world.service.policies.create({ Name: 'p' })
    expect(ended).toBe(false)
    const { AccessorID } = await world.service.tokens.create()
    expect((await waiting).body.map((token: { AccessorID: string }) => token.AccessorID)).toContain(AccessorID)
  })
})

describe('requests for tokens', () => {
  it('require acl:read or acl:write, and are refused without revealing whether the token exists', async () => {
    await using world = await configWorld()
    const { AccessorID } = await world.service.tokens.create()
    const reader = (await tokenWith(world, 'acl = "read"')).SecretID
    const unprivileged = (await tokenWith(world, 'key_prefix "" { policy = "write" }')).SecretID
    const reads = ['acl/tokens', `acl/token/${AccessorID}`]
    for (const path of reads) expect((await world.ask('GET', path, undefined, reader)).status).toBe(200)
    const writes: readonly [string, string, object?][] = [
      ['PUT', 'acl/token', {}],
      ['PUT', `acl/token/${AccessorID}`, {}],
      ['PUT', `acl/token/${AccessorID}/clone`, {}],
      ['DELETE', `acl/token/${AccessorID}`],
    ]
    for (const [verb, path, body] of writes) {
      const refused = await world.ask(verb, path, body, reader)
      expect(refused).toMatchObject({ status: 403, body: expect.stringMatching(/^Permission denied.*acl:write/) })
      const unknown = await world.ask(verb, path.replace(AccessorID, OTHER), body, reader)
      expect([unknown.status, unknown.body]).toEqual([403, refused.body])
    }
    for (const path of reads) expect((await world.ask('GET', path, undefined, unprivileged)).status).toBe(403)
  })
})

it('tokens can be created and deleted even if ACLs are disabled', async () => {
  await using world = await configWorld({ acl: { enabled: false } })
  const ask = askOf(world.service)
  const { AccessorID, SecretID } = await answered(ask('PUT', 'acl/token', {}, ''))
  expect(await answered(ask('GET', `acl/token/${AccessorID}`, undefined, 'unknown'))).toMatchObject({ AccessorID })
  expect(await answered(ask('GET', 'acl/token/self', undefined, SecretID))).toMatchObject({ AccessorID })
  expect(await answered(ask('DELETE', `acl/token/${AccessorID}`, undefined, SecretID))).toBe(true)
})
