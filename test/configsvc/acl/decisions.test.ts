import { describe, expect, it } from 'vitest'
import { answered, type ConfigWorld, configWorld, ROOT } from '../../fixtures/configsvc.ts'
import { turnsDuring } from '../turns.ts'

const PATH = 'internal/acl/authorize'

const STRANGER = '99999999-9999-4999-8999-999999999999'

/** A token with a role that links to this policy. */
async function tokenBy({ service }: ConfigWorld, Rules: string): Promise<string> {
  const { ID } = await service.policies.create({ Name: 'web', Rules })
  await service.roles.create({ Name: 'r', Policies: [{ ID }] })
  return (await service.tokens.create({ Roles: [{ Name: 'r' }] })).SecretID as string
}

describe('a request for several permission decisions', () => {
  it('returns the decisions for the token of the request in the requested order', async () => {
    await using world = await configWorld()
    const token = await tokenBy(world, 'service "web" { policy = "write" }\nkey_prefix "a/" { policy = "write" }')
    const requests = [
      { Resource: 'service', Segment: 'web', Access: 'Write' },
      { Resource: 'service', Segment: 'webs', Access: 'read' },
      { Resource: 'key', Segment: 'a/b', Access: 'WRITE-PREFIX' },
      { Resource: 'service', Segment: 'web', Access: 'Write' },
      { Resource: 'acl', Access: 'read' },
    ]
    const shown = (allow: readonly boolean[]) => requests.map((request, at) => ({ ...request, Allow: allow[at] }))
    expect(await answered(world.ask('POST', PATH, requests, token))).toEqual(shown([true, false, true, true, false]))
    expect(await answered(world.ask('POST', PATH, requests, ''))).toEqual(shown([false, false, false, false, false]))
    expect(await answered(world.ask('POST', PATH, requests))).toEqual(shown([true, true, true, true, true]))
    // Clients may send responses back.
    expect(await answered(world.ask('POST', PATH, shown([true, true, true, true, true]), ''))).toEqual(
      shown([false, false, false, false, false]),
    )
    expect(await world.service.as(token).acl.authorizeMany({ requests: requests })).toEqual(
      shown([true, false, true, true, false]),
    )
  })

  it('can contain no or at most 64 decisions', async () => {
    await using world = await configWorld()
    const many = (count: number) => Array.from({ length: count }, () => ({ Resource: 'acl', Access: 'read' }))
    expect(await answered(world.ask('POST', PATH, []))).toEqual([])
    expect(await answered(world.ask('POST', PATH, many(64)))).toHaveLength(64)
    expect(await world.ask('POST', PATH, many(65))).toMatchObject({ status: 400, body: expect.stringContaining('64') })
  })

  it.each([
    ['a body that is not a list', { Resource: 'acl', Access: 'read' }],
    ['a missing body', undefined],
    ['null', null],
    ['an element that is not an object', ['acl:read']],
    ['an unknown resource', [{ Resource: 'nope', Access: 'read' }]],
    ['the name of an inherited property', [{ Resource: 'constructor', Access: 'read' }]],
    ['a missing resource', [{ Access: 'read' }]],
    ['an unknown access', [{ Resource: 'acl', Access: 'admin' }]],
    ['a missing access', [{ Resource: 'acl' }]],
    ['an access that the resource lacks', [{ Resource: 'service', Segment: 'web', Access: 'list' }]],
    ['an unknown member', [{ Resource: 'acl', Access: 'read', Name: 'x' }]],
    ['a segment that is not a string', [{ Resource: 'service', Segment: 1, Access: 'read' }]],
  ])('is refused with %s', async (_, body) => {
    await using world = await configWorld()
    expect((await world.ask('POST', PATH, body)).status).toBe(400)
  })

  it('is refused if its token is invalid', async () => {
    await using world = await configWorld()
    expect(await world.ask('POST', PATH, [], STRANGER)).toMatchObject({ status: 403, body: 'ACL not found' })
  })
})

it('the path for permission decisions accepts only POST', async () => {
  await using world = await configWorld()
  expect((await world.ask('PUT', PATH, [])).status).toBe(405)
  for (const path of ['authorize', 'explain']) expect((await world.ask('POST', path, {})).status).toBe(404)
})

it('acl.authorize and acl.explain decide for a given token, for anonymous callers, for a view and for the application', async () => {
  await using world = await configWorld()
  const { service } = world
  const token = await tokenBy(world, 'service_prefix "we" { policy = "write" }')
  const request = { permission: 'service:write', resource: 'web' } as const
  const rule = { key: 'service_prefix', name: 'we', field: 'policy', level: 'write' }
  expect(await service.acl.authorize({ token, ...request })).toBe(true)
  expect(await service.acl.explain({ token, ...request })).toEqual({ allow: true, by: { policy: 'web', rule } })
  expect(await service.acl.explain({ token, ...request, permission: 'intention:write' })).toEqual({
    allow: false,
    by: { policy: 'web', rule },
  })
  expect(await service.acl.explain({ token: '', ...request })).toEqual({ allow: false, by: 'default' })
  expect(await service.acl.explain(request)).toEqual({ allow: true, by: 'authority' })
  expect(await service.as(token).acl.explain(request)).toEqual({ allow: true, by: { policy: 'web', rule } })
  expect(await service.as('').acl.authorize(request)).toBe(false)
  expect(await service.acl.explain({ token: ROOT, permission: 'acl:write' })).toMatchObject({
    allow: true,
    by: { policy: 'global-management' },
  })
  await expect(service.acl.authorize({ token: STRANGER, ...request })).rejects.toMatchObject({ status: 403 })
  await expect(service.acl.authorize({ permission: 'acl' as 'acl:read' })).rejects.toMatchObject({ status: 400 })
})

it('permission decisions change as soon as the policies and roles of a token change', async () => {
  await using world = await configWorld()
  const { acl, policies, roles } = world.service
  const token = await tokenBy(world, 'key "k" { policy = "read" }')
  const [policy, role] = [await policies.readByName({ Name: 'web' }), await roles.readByName({ Name: 'r' })]
  const may = (permission: 'key:read' | 'key:write' | 'service:write') => acl.authorize({ token, permission, resource: 'k' })
  expect([await may('key:read'), await may('key:write')]).toEqual([true, false])
  await policies.update({ ID: policy.ID, Name: 'web', Rules: 'key "k" { policy = "write" }' })
  expect(await may('key:write')).toBe(true)
  await policies.update({ ID: policy.ID, Name: 'web', Rules: 'key "k" { policy = "write" }', Datacenters: ['elsewhere'] })
  expect(await may('key:write')).toBe(false)
  await roles.update({ ID: role.ID, Name: 'r', ServiceIdentities: [{ ServiceName: 'k' }] })
  expect(await may('service:write')).toBe(true)
  await roles.delete({ ID: role.ID })
  expect(await may('service:write')).toBe(false)
})

it('a token is denied in other namespaces, and acl.explain returns the namespace as the reason', async () => {
  await using world = await configWorld()
  const { acl, tokens } = world.service
  const { SecretID: token } = await tokens.create({ ns: 'team', ServiceIdentities: [{ ServiceName: 'web' }] })
  const request = { token: token as string, permission: 'service:write', resource: 'web' } as const
  expect(await acl.authorize(request)).toBe(true)
  expect(await acl.explain({ ...request, ns: 'other' })).toEqual({ allow: false, by: 'namespace' })
  const body = [{ Resource: 'service', Segment: 'web', Access: 'write' }]
  const [here] = await answered(world.ask('POST', PATH, body, token as string))
  const [there] = await answered(world.ask('POST', `${PATH}?ns=other`, body, token as string))
  expect([here.Allow, there.Allow]).toEqual([true, false])
})

it('all permission decisions are positive if ACLs are disabled', async () => {
  await using world = await configWorld({ acl: { enabled: false } })
  const request = { permission: 'acl:write', token: STRANGER } as const
  expect(await world.service.acl.explain(request)).toEqual({ allow: true, by: 'authority' })
  const [answer] = await answered(world.ask('POST', PATH, [{ Resource: 'acl', Access: 'write' }], STRANGER))
  expect(answer.Allow).toBe(true)
})

it('compiling the grants of a token yields to the event loop, and happens once for many decisions', async () => {
  await using world = await configWorld()
  const { acl, roles, tokens } = world.service
  const ServiceIdentities = Array.from({ length: 1000 }, (_, at) => ({ ServiceName: `service-${at}` }))
  const Roles = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((Name) => roles.create({ Name, ServiceIdentities })))
  const { SecretID: token } = await tokens.create({ Roles: Roles.map(({ ID }) => ({ ID })) })
  const ask = () => acl.authorize({ token: token as string, permission: 'service:write', resource: 'service-7' })
  // 5,000 templates are filled in.
  const first = await turnsDuring(ask)
  expect(first.result).toBe(true)
  expect(first.turns).toBeGreaterThanOrEqual(5)
  const others = await turnsDuring(async () => {
    for (let times = 0; times < 100; times++) expect(await ask()).toBe(true)
  })
  expect(others.turns).toBeLessThan(first.turns)
  await roles.update({ ID: Roles[0]?.ID as string, Name: 'a' })
  expect(await ask()).toBe(true)
  for (const { ID } of Roles) await roles.delete({ ID })
  expect(await ask()).toBe(false)
})
