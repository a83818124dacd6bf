/**
 * Config entries are written, replaced and deleted, by path and by typed calls.
 */
import { describe, expect, it } from 'vitest'
import { type Answer, type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'

const open = () => configWorld({ acl: { enabled: false } })

const web = (members: object = {}) => ({ Kind: 'service-defaults', Name: 'web', ...members }) as const

/** The index of the kind's list, which an apply without effect does not change. */
const tableIndex = async ({ ask }: ConfigWorld): Promise<number> =>
  Number((await ask('GET', 'config/service-defaults')).headers['X-Config-Index'])

const stored = async ({ ask }: ConfigWorld, path = 'config/service-defaults/web'): Promise<Answer['body']> => {
  const { status, body } = await ask('GET', path)
  return status === 404 ? undefined : body
}

/** The stored entry: missing, with other content, or with the same content. */
type There = 'missing' | 'other' | 'same'

const THERE: Readonly<Record<There, object | undefined>> = {
  missing: undefined,
  other: web({ Protocol: 'grpc' }),
  same: web({ Protocol: 'http' }),
}

const SENT = web({ Protocol: 'http' })

/** `fitting` is the ModifyIndex of the stored entry. */
type Cas = 'none' | '0' | 'fitting' | 'another'

const APPLIES: readonly { readonly cas: Cas; readonly there: There; readonly body: boolean; readonly writes: boolean }[] = [
  { cas: 'none', there: 'missing', body: true, writes: true },
  { cas: 'none', there: 'other', body: true, writes: true },
  { cas: 'none', there: 'same', body: true, writes: false },
  { cas: '0', there: 'missing', body: true, writes: true },
  { cas: '0', there: 'other', body: false, writes: false },
  { cas: '0', there: 'same', body: true, writes: false },
  { cas: 'fitting', there: 'other', body: true, writes: true },
  { cas: 'fitting', there: 'same', body: true, writes: false },
  { cas: 'another', there: 'missing', body: false, writes: false },
  { cas: 'another', there: 'other', body: false, writes: false },
  { cas: 'another', there: 'same', body: true, writes: false },
]

const DELETES: readonly { readonly cas: Cas; readonly there: There; readonly body: unknown; readonly deletes: boolean }[] = [
  { cas: 'none', there: 'same', body: {}, deletes: true },
  { cas: 'none', there: 'missing', body: {}, deletes: false },
  { cas: 'fitting', there: 'same', body: true, deletes: true },
  { cas: 'another', there: 'same', body: false, deletes: false },
  { cas: '0', there: 'same', body: false, deletes: false },
  { cas: 'another', there: 'missing', body: true, deletes: false },
  { cas: '0', there: 'missing', body: true, deletes: false },
]

/** A service with this stored entry, and the corresponding value of `cas`. */
async function worldWith(there: There, cas: Cas) {
  const world = await open()
  await world.ask('PUT', 'config', { Kind: 'service-defaults', Name: 'neighbour' })
  if (THERE[there]) await world.ask('PUT', 'config', THERE[there])
  const before = await stored(world)
  const values = { none: undefined, '0': 0, fitting: before?.ModifyIndex as number, another: 77 }
  return { world, before, cas: values[cas], index: await tableIndex(world) }
}

const WAYS = ['by path', 'typed'] as const

describe.each(WAYS)('writing an entry %s', (way) => {
  it.each(APPLIES)('with cas $cas returns $body if the entry is $there', async ({ cas: which, there, body, writes }) => {
    const { world, before, cas, index } = await worldWith(there, which)
    await using _ = world
    if (way === 'typed') expect(await world.service.entries.apply(SENT, { cas })).toBe(body)
    else {
      const answer = await world.ask('PUT', cas === undefined ? 'config' : `config?cas=${cas}`, SENT)
      expect(answer).toMatchObject({ status: 200, body })
    }
    const after = await stored(world)
    if (writes) {
      const CreateIndex = before?.CreateIndex ?? index + 1
      expect(after).toEqual({ ...SENT, CreateIndex, ModifyIndex: index + 1 })
    } else expect(after).toEqual(before)
    expect(await tableIndex(world)).toBe(writes ? index + 1 : index)
  })
})

describe.each(WAYS)('deleting an entry %s', (way) => {
  it.each(DELETES)('with cas $cas returns $body if the entry is $there', async ({ cas: which, there, body, deletes }) => {
    const { world, before, cas, index } = await worldWith(there, which)
    await using _ = world
    const named = { Kind: 'service-defaults', Name: 'web' } as const
    // For a typed call, `{}` becomes true: the entry does not exist any more.
    if (way === 'typed') expect(await world.service.entries.delete({ ...named, cas })).toBe(body !== false)
    else {
      const path = `config/service-defaults/web${cas === undefined ? '' : `?cas=${cas}`}`
      expect(await world.ask('DELETE', path)).toMatchObject({ status: 200, body })
    }
    expect(await stored(world)).toEqual(deletes ? undefined : before)
    expect(await tableIndex(world)).toBe(deletes ? index + 1 : index)
  })
})

describe('writing an entry', () => {
  it('replaces all members of the stored entry', async () => {
    await using world = await open()
    await world.ask('PUT', 'config', web({ Protocol: 'http', Meta: { a: '1' }, MaxInboundConnections: 7 }))
    const first = await tableIndex(world)
    await world.ask('PUT', 'config', web({ Protocol: 'tcp' }))
    expect(await stored(world)).toEqual({ ...web({ Protocol: 'tcp' }), CreateIndex: first, ModifyIndex: first + 1 })
  })

  it.each([
    { what: 'as it was sent', entry: web({ Protocol: 'http', Meta: { a: '1', b: '2' } }) },
    { what: 'with its members in another order', entry: { Meta: { b: '2', a: '1' }, Protocol: 'http', ...web() } },
    { what: 'before it was normalised', entry: web({ protocol: 'HTTP', meta: { a: '1', b: '2' } }) },
    { what: 'as it was read', entry: { ...web({ Protocol: 'http', Meta: { a: '1', b: '2' } }), CreateIndex: 9, ModifyIndex: 9 } },
  ])('changes nothing if the request has the stored content, $what', async ({ entry }) => {
    await using world = await open()
    await world.ask('PUT', 'config', web({ Protocol: 'http', Meta: { a: '1', b: '2' } }))
    const [before, index] = [await stored(world), await tableIndex(world)]
    expect(await world.ask('PUT', 'config', entry)).toMatchObject({ status: 200, body: true })
    expect(await stored(world)).toEqual(before)
    expect(await tableIndex(world)).toBe(index)
  })

  it('wakes no blocking read if the request has the stored content', async () => {
    await using world = await open()
    await world.ask('PUT', 'config', web({ Protocol: 'http' }))
    const index = await tableIndex(world)
    let notifications = 0
    const note = () => {
      notifications++
    }
    const waiting = ['config/service-defaults/web', 'config/service-defaults'].map((path) =>
      world.ask('GET', `${path}?index=${index}&wait=5m`).then(note),
    )
    for (let i = 0; i < 5; i++) await world.ask('PUT', 'config', web({ Protocol: 'http' }))
    expect(notifications).toBe(0)
    await world.ask('PUT', 'config', web({ Protocol: 'grpc' }))
    await Promise.all(waiting)
    expect(notifications).toBe(2)
  })

  it.each(['api-gateway', 'http-route', 'tcp-route'])('ignores the Status in the request body: %s', async (Kind) => {
    await using world = await open()
    const Status = { Conditions: [{ Type: 'Accepted', Status: 'True' }] }
    const body = {
      ...{ Kind, Name: 'one', Status },
      ...(Kind === 'api-gateway' ? { Listeners: [{ Name: 'main', Port: 80, Protocol: 'http' }] } : {}),
    }
    expect(await world.ask('PUT', 'config', body)).toMatchObject({ status: 200, body: true })
    const made = await stored(world, `config/${Kind}/one`)
    expect(made?.Status).not.toEqual(Status)
    expect(await world.ask('PUT', 'config', body)).toMatchObject({ status: 200, body: true })
    expect(await stored(world, `config/${Kind}/one`)).toEqual(made)
  })

  it('finds the stored entry by name regardless of case, and stores the new spelling', async () => {
    await using world = await open()
    await world.ask('PUT', 'config', { ...web(), Name: 'Web-Ä' })
    for (const name of ['web-ä', 'WEB-Ä', 'Web-Ä'])
      expect(await stored(world, `config/service-defaults/${encodeURIComponent(name)}`)).toMatchObject({ Name: 'Web-Ä' })
    const first = await tableIndex(world)
    await world.ask('PUT', 'config', { ...web(), Name: 'WEB-Ä' })
    const { body } = await world.ask('GET', 'config/service-defaults')
    expect(body).toEqual([{ Kind: 'service-defaults', Name: 'WEB-Ä', CreateIndex: first, ModifyIndex: first + 1 }])
    expect(await world.ask('DELETE', `config/service-defaults/${encodeURIComponent('wEB-ä')}`)).toMatchObject({ body: {} })
    expect(await world.ask('GET', 'config/service-defaults')).toMatchObject({ body: [] })
  })

  it.each(['a/b', 'a%b', 'a%2fb', '..', '.', 'a b', '😀', '__proto__'])(
    'stores and reads an entry whose name is unusual: %j',
    async (Name) => {
      await using world = await open()
      const { entries } = world.service
      for (const other of ['a', 'b', 'a-b']) await entries.apply({ Kind: 'service-defaults', Name: other })
      expect(await entries.apply({ Kind: 'service-defaults', Name, Protocol: 'http' })).toBe(true)
      expect(await entries.get({ Kind: 'service-defaults', Name })).toMatchObject({ Name, Protocol: 'http' })
      expect(await entries.list({ Kind: 'service-defaults' })).toHaveLength(4)
      expect(await entries.delete({ Kind: 'service-defaults', Name })).toBe(true)
      expect(await entries.list({ Kind: 'service-defaults' })).toHaveLength(3)
    },
  )

  it('makes it appear in the list of its kind in the order of names, regardless of case', async () => {
    await using world = await open()
    for (const Name of ['b', 'C', 'a', 'B2', '_', 'ab']) await world.ask('PUT', 'config', { ...web(), Name })
    await world.ask('PUT', 'config', { Kind: 'mesh' })
    const { body } = await world.ask('GET', 'config/service-defaults')
    expect(body.map(({ Name }: { Name: string }) => Name)).toEqual(['_', 'a', 'ab', 'b', 'B2', 'C'])
  })
})

describe('a request for entries is refused', () => {
  it.each(['x', '-1', '1.5', '1e3', '18446744073709551616'])('with 400 if the parameter cas is %s', async (cas) => {
    await using world = await open()
    for (const [method, path, body] of [
      ['PUT', 'config', web()],
      ['DELETE', 'config/service-defaults/web', undefined],
    ] as const) {
      const answer = await world.ask(method, `${path}?cas=${cas}`, body)
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('cas') })
    }
    expect(await stored(world)).toBeUndefined()
  })

  it('with 400 if the kind is unknown', async () => {
    await using world = await open()
    for (const Kind of ['service-default', 'Service-Defaults', '__proto__', 'constructor', '*']) {
      const requests = [
        world.ask('PUT', 'config', { Kind, Name: 'web' }),
        world.ask('GET', `config/${Kind}/web`),
        world.ask('GET', `config/${Kind}`),
        world.ask('DELETE', `config/${Kind}/web`),
      ]
      for (const answer of await Promise.all(requests))
        expect(answer).toMatchObject({ status: 400, body: `invalid config entry kind: ${JSON.stringify(Kind)}` })
    }
  })

  it.each(['config/service-defaults', 'config/service-defaults/'])(
    'with 404 for DELETE %s, because the path contains no name',
    async (path) => {
      await using world = await open()
      expect(await world.ask('DELETE', path)).toMatchObject({ status: 404 })
    },
  )

  it('with 404 if the entry does not exist', async () => {
    await using world = await open()
    const { status, body } = await world.ask('GET', 'config/service-defaults/web')
    expect({ status, body }).toEqual({ status: 404, body: 'Config entry not found for "service-defaults" / "web"' })
  })

  it.each([
    ['proxy-defaults', 'other', 'global'],
    ['mesh', 'other', 'mesh'],
    ['exported-services', 'other', 'default'],
  ])('with 400 for DELETE %s %s, because the kind does not allow this name', async (kind, name, right) => {
    await using world = await open()
    expect(await world.ask('DELETE', `config/${kind}/${name}`)).toMatchObject({
      status: 400,
      body: expect.stringContaining(right),
    })
  })

  it('with 400 if the request names another datacenter', async () => {
    await using world = await configWorld({ acl: { enabled: false }, datacenter: 'dc7' })
    const requestsFor = (dc: string): Promise<Answer>[] => [
      world.ask('PUT', `config?dc=${dc}`, web()),
      world.ask('GET', `config/service-defaults/web?dc=${dc}`),
      world.ask('GET', `config/service-defaults?dc=${dc}`),
      world.ask('DELETE', `config/service-defaults/web?dc=${dc}`),
    ]
    for (const answer of await Promise.all(requestsFor('dc1')))
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('dc7') })
    for (const answer of requestsFor('dc7')) expect([200, 404]).toContain((await answer).status)
  })
})

describe('config entries in different namespaces', () => {
  const namesIn = async ({ ask }: ConfigWorld, ns: string) =>
    (await ask('GET', `config/service-defaults?ns=${ns}`)).body.map(({ Name, Namespace = 'default' }: Record<string, string>) => [
      Namespace,
      Name,
    ])

  it('can have the same names', async () => {
    await using world = await open()
    await world.ask('PUT', 'config', web({ Protocol: 'http' }))
    await world.ask('PUT', 'config?ns=team-a', web({ Protocol: 'grpc' }))
    expect(await stored(world)).toMatchObject({ Protocol: 'http' })
    expect(await stored(world, 'config/service-defaults/web?ns=team-a')).toMatchObject({ Protocol: 'grpc', Namespace: 'team-a' })
    expect(await world.ask('GET', 'config/service-defaults/web?ns=team-b')).toMatchObject({ status: 404 })
    expect(await namesIn(world, 'team-a')).toEqual([['team-a', 'web']])
    expect(await namesIn(world, '*')).toEqual([
      ['default', 'web'],
      ['team-a', 'web'],
    ])
    await world.ask('DELETE', 'config/service-defaults/web?ns=team-a')
    expect(await namesIn(world, '*')).toEqual([['default', 'web']])
  })

  it('are ignored when an entry of another namespace is validated', async () => {
    await using world = await open()
    const splitter = { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }] }
    await world.ask('PUT', 'config', web({ Protocol: 'http' }))
    expect(await world.ask('PUT', 'config?ns=team-a', splitter)).toMatchObject({ status: 400 })
    expect(await world.ask('PUT', 'config', splitter)).toMatchObject({ status: 200 })
    await world.ask('PUT', 'config?ns=team-a', web({ Protocol: 'http' }))
    expect(await world.ask('DELETE', 'config/service-defaults/web?ns=team-a')).toMatchObject({ status: 200 })
    expect(await world.ask('DELETE', 'config/service-defaults/web')).toMatchObject({ status: 400 })
  })

  it('belong to the namespace of the request, and a body that names another namespace is refused', async () => {
    await using world = await open()
    const entry = web({ Namespace: 'team-a' })
    for (const path of ['config', 'config?ns=team-b'])
      expect(await world.ask('PUT', path, entry)).toMatchObject({ status: 400, body: expect.stringMatching(/^Namespace: /) })
    expect(await world.ask('PUT', 'config?ns=team-a', entry)).toMatchObject({ status: 200, body: true })
    expect(await world.service.entries.apply(entry, { ns: 'team-a' })).toBe(true)
    await expect(world.service.entries.apply(entry)).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST', status: 400 })
  })

  it('are refused for an invalid namespace', async () => {
    await using world = await open()
    for (const ns of ['*', 'a/b', '-a', 'x'.repeat(65)]) {
      const query = `?ns=${encodeURIComponent(ns)}`
      expect(await world.ask('PUT', `config${query}`, web())).toMatchObject({ status: 400 })
      expect(await world.ask('GET', `config/service-defaults/web${query}`)).toMatchObject({ status: 400 })
      expect(await world.ask('DELETE', `config/service-defaults/web${query}`)).toMatchObject({ status: 400 })
    }
  })

  it('have a Partition that is only a label and no part of the name', async () => {
    await using world = await open()
    await world.ask('PUT', 'config?partition=west', web())
    expect(await stored(world)).toMatchObject({ Partition: 'west' })
    const first = await tableIndex(world)
    await world.ask('PUT', 'config', web({ Partition: 'east' }))
    expect(await stored(world, 'config/service-defaults/web?partition=west')).toMatchObject({
      Partition: 'east',
      CreateIndex: first,
    })
    expect(await world.ask('PUT', 'config', web({ Partition: 'a b' }))).toMatchObject({ status: 400 })
  })
})
