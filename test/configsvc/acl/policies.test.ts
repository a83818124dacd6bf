import { describe, expect, it } from 'vitest'
import { answered, configWorld } from '../../fixtures/configsvc.ts'

const MANAGEMENT = '00000000-0000-0000-0000-000000000001'

const READ_ONLY = '00000000-0000-0000-0000-000000000002'

const NOBODY = '12345678-1234-4234-9234-123456789abc'

const RULES = 'service "web" { policy = "read" }'

it('a new policy is returned with all members, but its rules are omitted from lists', async () => {
  await using world = await configWorld()
  const made = await answered(world.ask('PUT', 'acl/policy', { Name: 'Web/read', Rules: RULES, Datacenters: ['dc1'] }))
  expect(made).toEqual({
    ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Name: 'Web/read',
    Description: '',
    Rules: RULES,
    Datacenters: ['dc1'],
    Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    CreateIndex: expect.any(Number),
    ModifyIndex: made.CreateIndex,
  })
  for (const path of [`acl/policy/${made.ID}`, 'acl/policy/name/WEB/READ', 'acl/policy/name/web%2Fread'])
    expect(await answered(world.ask('GET', path))).toEqual(made)
  const listed = await answered(world.ask('GET', 'acl/policies'))
  expect(listed.map(({ Name }: { Name: string }) => Name)).toEqual(['builtin/global-read-only', 'global-management', 'Web/read'])
  const { Rules: _, ...rest } = made
  expect(listed.at(-1)).toEqual(rest)
  expect(await world.service.policies.list()).toEqual(listed)
})

it('updating a policy replaces its members, but not its ID and CreateIndex', async () => {
  await using world = await configWorld()
  const { policies } = world.service
  const made = await policies.create({ Name: 'p', Description: 'd', Rules: RULES, Datacenters: ['dc1'] })
  const { ID, CreateIndex, ModifyIndex } = made
  const updated = await answered(world.ask('PUT', `acl/policy/${ID}`, { ID, Name: 'q' }))
  expect(updated).toMatchObject({ ID, Name: 'q', Description: '', Rules: '', CreateIndex, ModifyIndex: ModifyIndex + 1 })
  expect(updated).not.toHaveProperty('Datacenters')
  expect(updated.Hash).not.toBe(made.Hash)
  await expect(policies.readByName({ Name: 'p' })).rejects.toMatchObject({ status: 404 })
  expect(await policies.readByName({ Name: 'Q' })).toEqual(updated)
})

it('deleting a policy returns true if the policy existed', async () => {
  await using world = await configWorld()
  const { ID } = await world.service.policies.create({ Name: 'p' })
  expect(await answered(world.ask('DELETE', `acl/policy/${ID}`))).toBe(true)
  expect(await answered(world.ask('DELETE', `acl/policy/${ID}`))).toBe(false)
  for (const path of [`acl/policy/${ID}`, 'acl/policy/name/p']) expect((await world.ask('GET', path)).status).toBe(404)
  expect((await world.service.policies.create({ Name: 'P' })).ID).not.toBe(ID)
})

describe('a built-in policy', () => {
  it('cannot be deleted, and its rules and datacenters cannot be changed', async () => {
    await using world = await configWorld()
    for (const ID of [MANAGEMENT, READ_ONLY]) {
      const known = await answered(world.ask('GET', `acl/policy/${ID}`))
      for (const change of [{ Rules: RULES }, { Rules: '' }, { Datacenters: ['dc1'] }])
        expect((await world.ask('PUT', `acl/policy/${ID}`, { ...known, ...change })).status).toBe(400)
      expect((await world.ask('DELETE', `acl/policy/${ID}`)).status).toBe(400)
      expect(await answered(world.ask('GET', `acl/policy/${ID}`))).toEqual(known)
    }
  })

  it('can get another name and description', async () => {
    await using world = await configWorld()
    for (const ID of [MANAGEMENT, READ_ONLY]) {
      const known = await answered(world.ask('GET', `acl/policy/${ID}`))
      const changed = await answered(world.ask('PUT', `acl/policy/${ID}`, { ...known, Name: 'other', Description: 'new' }))
      expect(changed).toMatchObject({ ID, Name: 'other', Description: 'new', Rules: known.Rules })
      expect(await answered(world.ask('PUT', `acl/policy/${ID}`, known))).toMatchObject({ ID, Name: known.Name })
    }
    expect((await world.ask('PUT', 'acl/policy', { Name: 'Builtin/global-read-only' })).status).toBe(400)
  })
})

it.each([
  ['a name that is missing', { Name: '' }, 'no Name'],
  ['a name that is invalid', { Name: 'a b' }, 'Name'],
  ['the prefix of built-in policies in its name', { Name: 'builtin/x' }, 'Name'],
  ['a name that is taken', { Name: 'GLOBAL-MANAGEMENT' }, 'already exists'],
  ['invalid rules', { Name: 'p', Rules: 'service "web" {' }, 'failed to parse ACL rules'],
  ['an invalid name of a datacenter', { Name: 'p', Datacenters: ['a b'] }, 'Datacenters'],
  ['an ID for a new policy', { Name: 'p', ID: NOBODY }, 'do not match'],
  ['an unknown member', { Name: 'p', Rule: RULES }, 'Policy decoding failed'],
])('writing a policy is refused with %s', async (_, body, names) => {
  await using world = await configWorld()
  expect(await world.ask('PUT', 'acl/policy', body)).toMatchObject({ status: 400, body: expect.stringContaining(names) })
  expect(await world.service.policies.list()).toHaveLength(2)
})

it('a caller without acl:read or acl:write does not learn which policies exist', async () => {
  await using world = await configWorld()
  const readAnswers = (id: string, name: string) =>
    Promise.all([
      world.ask('GET', `acl/policy/${id}`, undefined, ''),
      world.ask('GET', `acl/policy/name/${name}`, undefined, ''),
      world.ask('GET', 'acl/policies', undefined, ''),
      world.ask('PUT', 'acl/policy', { Name: name }, ''),
      world.ask('PUT', `acl/policy/${id}`, { Name: name }, ''),
      world.ask('DELETE', `acl/policy/${id}`, undefined, ''),
    ])
  const there = await readAnswers(MANAGEMENT, 'global-management')
  expect(there.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
  expect(await readAnswers(NOBODY, 'nobody')).toEqual(there)
})

it('writing a policy accepts the request bodies of the Go client, and a body that was read before', async () => {
  await using world = await configWorld()
  const whole = { ID: '', Name: 'p', Description: '', Rules: '', Datacenters: null, Hash: null, CreateIndex: 0, ModifyIndex: 0 }
  const made = await answered(world.ask('PUT', 'acl/policy', whole))
  const again = await answered(world.ask('PUT', `acl/policy/${made.ID}`, made))
  expect(again).toEqual({ ...made, ModifyIndex: made.ModifyIndex + 1 })
})
