import { describe, expect, it } from 'vitest'
import { answered, configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'

const MANAGEMENT = '00000000-0000-0000-0000-000000000001'

const NOBODY = '12345678-1234-4234-9234-123456789abc'

it('a new role is returned with its ID, hash, indexes and links', async () => {
  await using world = await configWorld()
  const made = await answered(world.ask('PUT', 'acl/role', { Name: 'Web', Policies: [{ Name: 'GLOBAL-management' }] }))
  expect(made).toEqual({
    ID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    Name: 'Web',
    Description: '',
    Policies: [{ ID: MANAGEMENT, Name: 'global-management' }],
    Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    CreateIndex: expect.any(Number),
    ModifyIndex: made.CreateIndex,
  })
  expect(await answered(world.ask('GET', `acl/role/${made.ID}`))).toEqual(made)
  expect(await answered(world.ask('GET', 'acl/role/name/wEB'))).toEqual(made)
  expect(await answered(world.ask('GET', 'acl/roles'))).toEqual([made])
  expect(await world.service.roles.read({ ID: made.ID })).toEqual(made)
  expect(await world.service.roles.readByName({ Name: 'web' })).toEqual(made)
  expect(await world.service.roles.list()).toEqual([made])
})

describe('the hash of a role', () => {
  it.each([
    ['zqQHyhBtz2RTNWcGK4QeRy8y5DmCIGUVQAlKaQBG3bE=', { Name: 'r' }],
    [
      '6gR4ue93krQ3n7FS120O5wiM3pZLo4tF6++TUCIsh6Q=',
      {
        Name: 'example-role',
        Description: 'Showcases all input parameters',
        Policies: [{ ID: MANAGEMENT }],
        ServiceIdentities: [{ ServiceName: 'web' }, { ServiceName: 'db', Datacenters: ['dc1'] }],
        NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc2' }],
      },
    ],
  ])('equals that of Consul: %s', async (hash, role) => {
    await using world = await configWorld()
    expect((await world.service.roles.create(role)).Hash).toBe(hash)
  })

  it('depends on everything that the role contains, but not on the hash in a request', async () => {
    await using world = await configWorld()
    const { ID } = await world.service.roles.create({ Name: 'r' })
    const contents = [
      {},
      { Description: 'd' },
      { Policies: [{ ID: MANAGEMENT }] },
      { ServiceIdentities: [{ ServiceName: 'web' }] },
      { ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }] },
      { NodeIdentities: [{ NodeName: 'node', Datacenter: 'dc1' }] },
      { TemplatedPolicies: [{ TemplateName: 'builtin/dns' }] },
      { TemplatedPolicies: [{ TemplateName: 'builtin/dns', Datacenters: ['dc1'] }] },
    ]
    const hashes = new Set<string>()
    for (const content of contents) {
      const body = { Name: 'r', ...content, Hash: 'bm8=' }
      hashes.add((await answered(world.ask('PUT', `acl/role/${ID}`, body))).Hash)
    }
    expect(hashes.size).toBe(contents.length)
  })
})

it('updating a role replaces its members, but not its ID and CreateIndex', async () => {
  await using world = await configWorld()
  const made = await world.service.roles.create({
    Name: 'r',
    Description: 'd',
    Policies: [{ ID: MANAGEMENT }],
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
    TemplatedPolicies: [{ TemplateName: 'builtin/dns' }],
  })
  const { ID, CreateIndex, ModifyIndex } = made
  const updated = await answered(world.ask('PUT', `acl/role/${ID}`, { ID, Name: 's' }))
  expect(updated).toEqual({
    ID,
    Name: 's',
    Description: '',
    Hash: expect.not.stringContaining(made.Hash),
    CreateIndex,
    ModifyIndex: ModifyIndex + 1,
  })
  // This also holds if nothing changes.
  const again = await world.service.roles.update({ ID, Name: 's' })
  expect(again).toEqual({ ...updated, ModifyIndex: ModifyIndex + 2 })
})

it('the name of a deleted role can be used for a new role, which gets a new CreateIndex', async () => {
  await using world = await configWorld()
  const { roles } = world.service
  const first = await roles.create({ Name: 'a' })
  await expect(roles.create({ Name: 'A' })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('already exists'),
  })
  await roles.update({ ID: first.ID, Name: 'b' })
  const second = await roles.create({ Name: 'A' })
  await expect(roles.update({ ID: first.ID, Name: 'a' })).rejects.toMatchObject({ status: 400 })
  // A role may be written with its own name in another case.
  expect((await roles.update({ ID: second.ID, Name: 'a' })).Name).toBe('a')
  expect(await roles.delete({ ID: second.ID })).toBe(true)
  const third = await roles.create({ Name: 'a' })
  expect(third.CreateIndex).toBeGreaterThan(second.CreateIndex)
  expect(third.ID).not.toBe(second.ID)
})

it('deleting a role returns true if the role existed', async () => {
  await using world = await configWorld()
  const { ID } = await world.service.roles.create({ Name: 'r' })
  expect(await answered(world.ask('DELETE', `acl/role/${ID}`))).toBe(true)
  expect(await answered(world.ask('DELETE', `acl/role/${ID}`))).toBe(false)
  expect(await answered(world.ask('DELETE', 'acl/role/no-uuid'))).toBe(false)
  for (const path of [`acl/role/${ID}`, 'acl/role/name/r', 'acl/role/no-uuid'])
    expect((await world.ask('GET', path)).status).toBe(404)
  await expect(world.service.roles.read({ ID })).rejects.toMatchObject({ status: 404 })
})

it('reading a role shows the current names of its policies and omits deleted policies', async () => {
  await using world = await configWorld()
  const { policies, roles } = world.service
  const [p, q] = [await policies.create({ Name: 'p' }), await policies.create({ Name: 'q' })]
  const made = await roles.create({ Name: 'r', Policies: [{ Name: 'P' }, { ID: q.ID, Name: 'p' }, { ID: p.ID }] })
  expect(made.Policies).toEqual([
    { ID: p.ID, Name: 'p' },
    { ID: q.ID, Name: 'q' },
  ])
  await policies.update({ ID: p.ID, Name: 'renamed' })
  await policies.delete({ ID: q.ID })
  const shown = { ...made, Policies: [{ ID: p.ID, Name: 'renamed' }] }
  expect(await roles.read({ ID: made.ID })).toEqual(shown)
  expect(await roles.list()).toEqual([shown])
  // The filter applies to the stored links.
  expect(await answered(world.ask('GET', `acl/roles?policy=${q.ID}`))).toEqual([shown])
  expect(await roles.list({ policy: NOBODY })).toEqual([])
  await policies.delete({ ID: p.ID })
  expect(await roles.read({ ID: made.ID })).not.toHaveProperty('Policies')
})

describe('writing a role', () => {
  const wrong: readonly (readonly [about: string, member: Readonly<Record<string, unknown>>, names: RegExp])[] = [
    ['a name that is missing', { Name: '' }, /no Name/],
    ['a name that is invalid', { Name: 'a b' }, /Name/],
    ['a name that is taken', { Name: 'TAKEN' }, /already exists/],
    ['the name of a policy that does not exist', { Policies: [{ ID: NOBODY }, { Name: 'nope' }] }, /policy with name "nope"/],
    ['a service without a name', { ServiceIdentities: [{}] }, /ServiceName/],
    ['a node without a datacenter', { NodeIdentities: [{ NodeName: 'n' }] }, /Datacenter/],
    ['an invalid node name', { NodeIdentities: [{ NodeName: 'N', Datacenter: 'dc1' }] }, /NodeName/],
    ['a templated policy that does not exist', { TemplatedPolicies: [{ TemplateName: 'builtin/nope' }] }, /builtin\/nope/],
    ['the ID of a policy that does not exist', { Policies: [{ ID: NOBODY }] }, new RegExp(`policy with ID "${NOBODY}"`)],
  ]

  it.each(wrong.map(([about, , names], at) => [about, at, names] as const))(
    'reports the first error in the order in which Consul checks the members: %s',
    async (_, at, names) => {
      await using world = await configWorld()
      await world.service.roles.create({ Name: 'taken' })
      // All later members are invalid, too.
      const body = Object.assign(
        { Name: 'fine' },
        ...wrong
          .slice(at)
          .map(([, member]) => member)
          .reverse(),
      )
      for (const path of ['acl/role', `acl/role/${(await world.service.roles.create({ Name: 'mine' })).ID}`]) {
        const { status, body: refusal } = await world.ask('PUT', path, body)
        expect([path, status, refusal]).toEqual([path, 400, expect.stringMatching(names)])
      }
      expect(await world.service.roles.list()).toHaveLength(2)
    },
  )

  it('is refused for an invalid body before the permission is checked', async () => {
    await using world = await configWorld()
    for (const body of [
      { Nmae: 'r' },
      { Name: 1 },
      [],
      '"r"',
      { Policies: {} },
      { Policies: ['p'] },
      { Policies: [{ Id: 1 }] },
    ]) {
      const { status, body: refusal } = await world.ask('PUT', 'acl/role', body, '')
      expect([body, status, refusal]).toEqual([body, 400, expect.stringContaining('Role decoding failed')])
    }
    const { status } = await world.ask('PUT', 'acl/role', { Name: 'r', ID: NOBODY }, '')
    expect(status).toBe(400)
  })

  it('is refused for an ID that differs from the path, is not a UUID, or does not exist', async () => {
    await using world = await configWorld()
    const { ID } = await world.service.roles.create({ Name: 'r' })
    expect((await world.ask('PUT', `acl/role/${ID}`, { ID: NOBODY, Name: 'r' })).status).toBe(400)
    expect(await world.ask('PUT', 'acl/role/nope', { Name: 'r' })).toMatchObject({ status: 400, body: 'Role ID invalid UUID' })
    expect(await world.ask('PUT', `acl/role/${NOBODY}`, { Name: 'r' })).toMatchObject({
      status: 400,
      body: expect.stringContaining(`cannot find role ${NOBODY}`),
    })
  })
})

it('a caller without acl:read or acl:write does not learn which roles exist', async () => {
  await using world = await configWorld()
  const { ID } = await world.service.roles.create({ Name: 'r' })
  const readAnswers = (id: string, name: string) =>
    Promise.all([
      world.ask('GET', `acl/role/${id}`, undefined, ''),
      world.ask('GET', `acl/role/name/${name}`, undefined, ''),
      world.ask('GET', `acl/roles?policy=${id}`, undefined, ''),
      world.ask('PUT', 'acl/role', { Name: name }, ''),
      world.ask('PUT', `acl/role/${id}`, { Name: name }, ''),
      world.ask('DELETE', `acl/role/${id}`, undefined, ''),
    ])
  const there = await readAnswers(ID, 'r')
  expect(there.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
  expect(there.map(({ body }) => body.match(/'acl:(.*)'/)?.[1])).toEqual(['read', 'read', 'read', 'write', 'write', 'write'])
  expect(await readAnswers(NOBODY, 'nobody')).toEqual(there)
})

it('writing a role accepts the request bodies of the Go client, and a body that was read before', async () => {
  await using world = await configWorld()
  const links = { Policies: null, ServiceIdentities: null }
  const whole = { ID: '', Name: 'r', Description: '', ...links, Hash: null, CreateIndex: 0, ModifyIndex: 0 }
  const made = await answered(world.ask('PUT', 'acl/role', whole))
  const TemplatedPolicies = [{ templatename: 'builtin/service', TemplateVariables: { Name: 'web' } }]
  const body = { ...made, TemplatedPolicies, policies: [{ id: MANAGEMENT }], SERVICEIDENTITIES: [{ servicename: 'web' }] }
  const updated = await answered(world.ask('PUT', `acl/role/${made.ID}`, body))
  expect(updated).toMatchObject({
    Policies: [{ ID: MANAGEMENT, Name: 'global-management' }],
    ServiceIdentities: [{ ServiceName: 'web' }],
    TemplatedPolicies: [
      { TemplateID: '00000000-0000-0000-0000-000000000003', TemplateName: 'builtin/service', TemplateVariables: { name: 'web' } },
    ],
  })
  const again = await answered(world.ask('PUT', `acl/role/${made.ID}`, updated))
  expect(again).toEqual({ ...updated, ModifyIndex: updated.ModifyIndex + 1 })
})

it('roles in different namespaces can have the same name', async () => {
  await using world = await configWorld()
  const { policies, roles } = world.service
  const here = await roles.create({ Name: 'r' })
  const there = await roles.create({ Name: 'r', Namespace: 'team', ns: 'other' })
  expect(there.Namespace).toBe('team')
  expect(await roles.readByName({ Name: 'r', ns: 'team' })).toEqual(there)
  await expect(roles.read({ ID: here.ID, ns: 'team' })).rejects.toMatchObject({ status: 404 })
  expect(await roles.delete({ ID: there.ID })).toBe(false)
  expect(await answered(world.ask('GET', 'acl/roles?ns=team'))).toEqual([there])
  expect(await answered(world.ask('GET', 'acl/roles?ns=*'))).toEqual([here, there])
  expect((await world.ask('GET', `acl/role/${here.ID}?ns=*`)).status).toBe(400)
  const { ID } = await policies.create({ Name: 'p' })
  await expect(roles.create({ Name: 's', ns: 'team', Policies: [{ ID }] })).rejects.toMatchObject({ status: 400 })
  await expect(roles.create({ Name: 's', ns: 'team', Policies: [{ Name: 'p' }] })).rejects.toMatchObject({ status: 400 })
})

/** An independent statement of how service identities are merged. */
function merged(identities: readonly { readonly ServiceName: string; readonly Datacenters: readonly string[] }[]) {
  const names = identities.map(({ ServiceName }) => ServiceName).filter((name, at, all) => all.indexOf(name) === at)
  return names.map((ServiceName) => {
    const all = identities.filter((identity) => identity.ServiceName === ServiceName).flatMap((identity) => identity.Datacenters)
    return all.length === 0 ? { ServiceName } : { ServiceName, Datacenters: [...new Set(all)].sort() }
  })
}

it('service identities of a role with the same service name are merged, and keep all of their datacenters', async () => {
  await using world = await configWorld()
  const { ID } = await world.service.roles.create({ Name: 'r' })
  const services = fc.array(
    fc.record({
      ServiceName: fc.constantFrom('a', 'b', 'c'),
      Datacenters: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(services, async (ServiceIdentities) => {
      const { ServiceIdentities: kept } = await world.service.roles.update({ ID, Name: 'r', ServiceIdentities })
      expect(kept).toEqual(merged(ServiceIdentities))
    }),
  )
})

it('roles are listed in the order of their names, regardless of case', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.stringMatching(/^[a-cA-C_-]{1,3}$/), { selector: (name) => name.toLowerCase() }),
      async (names) => {
        await using world = await configWorld()
        for (const Name of names) await world.service.roles.create({ Name })
        const listed = (await world.service.roles.list()).map(({ Name }) => Name.toLowerCase())
        expect(listed).toEqual(names.map((name) => name.toLowerCase()).sort())
      },
    ),
    { numRuns: 25 },
  )
})
