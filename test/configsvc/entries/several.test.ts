/**
 * Several config entries in one commit: validated as a whole, written together or not at all, and previewed by a dry run.
 */
import { describe, expect, it } from 'vitest'
import type { AppliedEntries } from '../../../src/configsvc/entries/operations/fields.ts'
import type { KernelError } from '../../../src/index.ts'
import { type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'

type Entry = Exclude<AppliedEntries, readonly unknown[]>

const open = () => configWorld({ acl: { enabled: false } })

const defaults = (Name: string, Protocol = 'http'): Entry => ({ Kind: 'service-defaults', Name, Protocol })
const splitter = (Name: string, ...services: readonly string[]): Entry => ({
  Kind: 'service-splitter',
  Name,
  Splits: services.map((Service) => ({ Service, Weight: 100 / services.length })),
})
const redirect = (Name: string, Service: string): Entry => ({ Kind: 'service-resolver', Name, Redirect: { Service } })
const resolver = (Name: string): Entry => ({ Kind: 'service-resolver', Name, ConnectTimeout: '5s' })

/** The names of the stored entries by kind. */
const namesOf = async ({ service }: ConfigWorld, Kind: Entry['Kind']): Promise<readonly string[]> =>
  (await service.entries.list({ Kind })).map(({ Name }) => Name)

const tableIndex = async ({ ask }: ConfigWorld): Promise<number> =>
  Number((await ask('GET', 'config/mesh')).headers['X-Config-Index'])

const refusal = async (call: Promise<unknown>): Promise<KernelError> => {
  try {
    await call
  } catch (error) {
    return error as KernelError
  }
  throw new Error('was not refused')
}

interface Gone {
  readonly Kind: Entry['Kind']
  readonly Name: string
}

/** Changes that single writes cannot make one after another, because the first one alone is refused. */
const TRANSITIONS: readonly {
  readonly what: string
  readonly before: readonly Entry[]
  readonly puts: readonly Entry[]
  readonly gone?: readonly Gone[]
}[] = [
  {
    what: 'a redirect is reversed',
    before: [redirect('a', 'b'), resolver('b')],
    puts: [redirect('b', 'a'), resolver('a')],
  },
  {
    what: 'all services of a splitter change their protocol',
    before: [defaults('a'), defaults('b'), splitter('a', 'a', 'b')],
    puts: [defaults('a', 'grpc'), defaults('b', 'grpc')],
  },
  {
    what: 'a splitter and the protocol that it requires disappear',
    before: [defaults('a'), splitter('a', 'a')],
    puts: [defaults('a', 'tcp')],
    gone: [{ Kind: 'service-splitter', Name: 'a' }],
  },
  {
    what: 'two entries that require each other disappear',
    before: [defaults('a'), splitter('a', 'a')],
    puts: [],
    gone: [
      { Kind: 'service-defaults', Name: 'a' },
      { Kind: 'service-splitter', Name: 'A' },
    ],
  },
  {
    what: 'an ingress gateway becomes a terminating gateway',
    before: [{ Kind: 'ingress-gateway', Name: 'g', Listeners: [] }],
    puts: [{ Kind: 'terminating-gateway', Name: 'g' }],
    gone: [{ Kind: 'ingress-gateway', Name: 'g' }],
  },
  {
    what: 'a subset and the references to it are renamed',
    before: [
      { Kind: 'service-resolver', Name: 'a', Subsets: { v1: {} } },
      { Kind: 'service-resolver', Name: 'b', Redirect: { Service: 'a', ServiceSubset: 'v1' } },
    ],
    puts: [
      { Kind: 'service-resolver', Name: 'a', Subsets: { v2: {} } },
      { Kind: 'service-resolver', Name: 'b', Redirect: { Service: 'a', ServiceSubset: 'v2' } },
    ],
  },
]

describe('writing several entries in one request', () => {
  it.each(TRANSITIONS)(
    'succeeds in any order even if the first change alone would be refused: $what',
    async ({ before, puts, gone = [] }) => {
      for (const order of [puts, puts.toReversed()]) {
        await using world = await open()
        const { entries } = world.service
        expect(await entries.apply(before)).toBe(true)
        const index = await tableIndex(world)
        const [put, leaving] = [puts[0], gone[0]]
        const alone = put ? entries.apply(put) : entries.delete(leaving as Gone)
        expect(await refusal(alone)).toMatchObject({ status: 400 })
        expect(await entries.apply(order, { delete: gone, dry_run: true })).toBe(true)
        expect(await tableIndex(world)).toBe(index)
        expect(await entries.apply(order, { delete: gone })).toBe(true)
        for (const { Kind, Name, ...members } of order)
          expect(await entries.get({ Kind, Name: Name as string })).toMatchObject({ ...members, ModifyIndex: index + 1 })
        for (const { Kind, Name } of gone) expect(await namesOf(world, Kind)).not.toContain(Name.toLowerCase())
      }
    },
  )

  it.each([
    ['a splitter together with its services', [splitter('a', 'a', 'b'), defaults('a'), defaults('b')]],
    [
      'intentions together with their provider',
      [
        { Kind: 'service-intentions', Name: 'a', JWT: { Providers: [{ Name: 'p' }] }, Sources: [{ Name: 'b', Action: 'allow' }] },
        { Kind: 'jwt-provider', Name: 'p', JSONWebKeySet: { Local: { Filename: 'keys.json' } } },
      ],
    ],
  ] as readonly (readonly [string, readonly Entry[]])[])('need not be in order: %s', async (_, all) => {
    for (const order of [all, all.toReversed()]) {
      await using world = await open()
      const { entries } = world.service
      expect(await refusal(entries.apply(all[0] as Entry))).toMatchObject({ status: 400 })
      expect(await entries.apply(order)).toBe(true)
    }
  })

  it('writes all or none of the entries', async () => {
    await using world = await open()
    const { entries } = world.service
    await entries.apply(defaults('kept'))
    const index = await tableIndex(world)
    const all = [defaults('a'), defaults('b'), redirect('c', 'd'), redirect('d', 'c')]
    const error = await refusal(entries.apply(all, { delete: [{ Kind: 'service-defaults', Name: 'kept' }] }))
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/circular/) })
    expect(await namesOf(world, 'service-defaults')).toEqual(['kept'])
    expect(await namesOf(world, 'service-resolver')).toEqual([])
    expect(await tableIndex(world)).toBe(index)
  })

  it('reports the errors of all invalid entries', async () => {
    await using world = await open()
    const { entries } = world.service
    const all = [
      defaults('a', 'bogus'),
      defaults('b'),
      { Kind: 'service-resolver', Name: 'c', Subsets: { '': {} } },
      { Kind: 'proxy-defaults', Name: 'other' },
    ] as const
    const { message } = await refusal(entries.apply(all))
    expect(message.split('\n').map((line) => line.slice(0, 9))).toEqual(expect.arrayContaining(['entry 3: ']))
    const unread = await refusal(
      entries.apply([{ ...defaults('a'), Stranger: 1 }, defaults('b'), { ...defaults('c'), Other: 1 }]),
    )
    expect(unread.message).toMatch(/^entry 0: .*Stranger.*\nentry 2: .*Other/)
    const many = Array.from({ length: 100 }, (_, i) => ({ ...defaults(`s${i}`), Stranger: 1 }))
    const { message: long } = await refusal(entries.apply(many))
    expect(long.split('\n').at(-1)).toMatch(/^and 80 more$/)
  })

  it('is refused if two writes or deletes have the same kind and name, regardless of case', async () => {
    await using world = await open()
    const { entries } = world.service
    for (const [puts, gone] of [
      [[defaults('a'), defaults('a', 'tcp')], []],
      [[defaults('a'), defaults('A')], []],
      [[defaults('b')], [{ Kind: 'service-defaults', Name: 'B' }]],
      // In the stored form.
      [[defaults('b', 'grpc')], [{ Kind: 'service-defaults', Name: 'B' }]],
      [[defaults('b', 'grpc'), defaults('b', 'grpc')], []],
    ] as const) {
      await entries.apply(defaults('b', 'grpc'))
      const { status, message } = await refusal(entries.apply(puts, { delete: gone }))
      expect([status, message]).toEqual([400, expect.stringContaining('is used twice')])
    }
    expect(await namesOf(world, 'service-defaults')).toEqual(['b'])
  })

  it('gives one new index to all entries that change', async () => {
    await using world = await open()
    const { entries } = world.service
    await entries.apply([defaults('a'), defaults('b')])
    const first = await tableIndex(world)
    await entries.apply([defaults('a'), defaults('b', 'tcp'), defaults('c')])
    const found = await entries.list({ Kind: 'service-defaults' })
    expect(found.map(({ ModifyIndex }) => ModifyIndex)).toEqual([first, first + 1, first + 1])
    expect(await entries.apply([defaults('a')], { delete: [{ Kind: 'mesh', Name: 'mesh' }] })).toBe(true)
    expect(await tableIndex(world)).toBe(first + 1)
  })

  it('is refused if the changes do not fit into one commit, also in a dry run', async () => {
    await using world = await open()
    const { entries } = world.service
    const services = (count: number) => Array.from({ length: count }, (_, i) => defaults(`s${i}`))
    const routers = (count: number) =>
      Array.from({ length: count }, (_, i): Entry => ({ ...splitter(`s${i}`, `t${i}`, `u${i}`), Name: `s${i}` }))
    await entries.apply({ Kind: 'proxy-defaults', Config: { protocol: 'http' } })
    const index = await tableIndex(world)
    const gone = Array.from({ length: 60 }, (_, i) => ({ Kind: 'mesh', Name: `m${i}` }))
    for (const dry_run of [true, false]) {
      for (const [all, more] of [
        [services(101), []],
        [routers(34), []],
        [services(50), gone],
      ] as const) {
        const call = entries.apply(all, { dry_run, delete: more })
        expect(await refusal(call)).toMatchObject({ code: 'ERR_REQUEST_TOO_LARGE', status: 413 })
      }
      expect(await tableIndex(world)).toBe(index)
      expect(await entries.apply(routers(33), { dry_run })).toBe(true)
    }
    expect(await namesOf(world, 'service-splitter')).toHaveLength(33)
    expect(await entries.apply(services(100))).toBe(true)
  })

  it('is refused with 400 if the list is empty or the request has cas', async () => {
    await using world = await open()
    const { entries } = world.service
    expect(await refusal(entries.apply([]))).toMatchObject({ status: 400 })
    expect(await refusal(entries.apply([defaults('a')], { cas: 0 }))).toMatchObject({ status: 400, message: /^cas: / })
    const deleting = entries.apply(defaults('a'), { cas: 0, delete: [{ Kind: 'mesh', Name: 'mesh' }] })
    expect(await refusal(deleting)).toMatchObject({ status: 400, message: /^cas: / })
    for (const all of [[null], [7], ['text'], [[]], [{}], [defaults('a'), undefined]])
      expect(await refusal(entries.apply(all as never))).toSatisfy((error) => error instanceof TypeError || error.status === 400)
    expect(await namesOf(world, 'service-defaults')).toEqual([])
  })

  it('accepts a list of entries as the request body', async () => {
    await using world = await open()
    const { ask } = world
    const all = [splitter('a', 'a'), defaults('a')]
    expect(await ask('PUT', 'config?dry_run', all)).toMatchObject({ status: 200, body: true })
    expect(await ask('GET', 'config/service-splitter')).toMatchObject({ body: [] })
    expect(await ask('PUT', 'config', all)).toMatchObject({ status: 200, body: true })
    expect(await ask('GET', 'config/service-splitter')).toMatchObject({ body: [{ Name: 'a' }] })
    expect(await ask('PUT', 'config', [splitter('b', 'b')])).toMatchObject({
      status: 400,
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(await ask('PUT', 'config', [])).toMatchObject({ status: 400 })
    expect(await ask('PUT', 'config?cas=0', all)).toMatchObject({ status: 400 })
    expect(await ask('PUT', 'config?ns=team-a', [defaults('x'), defaults('y')])).toMatchObject({ status: 200 })
    expect(await ask('GET', 'config/service-defaults?ns=team-a')).toMatchObject({ body: [{ Name: 'x' }, { Name: 'y' }] })
  })

  it('requires the permission for each entry', async () => {
    await using world = await configWorld()
    const { ID } = await world.service.policies.create({ Name: 'a', Rules: 'service "a" { policy = "write" }' })
    const { SecretID } = await world.service.tokens.create({ Policies: [{ ID }] })
    const { entries } = world.service.as(SecretID)
    expect(await refusal(entries.apply([defaults('a'), defaults('b')]))).toMatchObject({ status: 403, message: /"b"/ })
    expect(await refusal(entries.apply([defaults('a')], { delete: [{ Kind: 'mesh', Name: 'mesh' }] }))).toMatchObject({
      status: 403,
    })
    expect(await world.service.entries.list({ Kind: 'service-defaults' })).toEqual([])
    expect(await entries.apply([defaults('a')])).toBe(true)
  })

  it('uses the entries as they were when the typed call was made', async () => {
    await using world = await open()
    const all = [{ ...defaults('a'), Meta: { text: 'before' } }]
    const applied = world.service.entries.apply(all)
    ;(all[0] as { Meta: { text: string } }).Meta.text = 'after'
    expect(await applied).toBe(true)
    expect(await world.service.entries.get({ Kind: 'service-defaults', Name: 'a' })).toMatchObject({ Meta: { text: 'before' } })
  })
})

describe('a dry run', () => {
  it('returns the result that the write would have, with and without cas', async () => {
    await using world = await open()
    const { entries } = world.service
    await entries.apply(defaults('a'))
    const index = await tableIndex(world)
    const both = async (entry: Entry, cas?: number) => [
      await entries.apply(entry, { cas, dry_run: true }),
      await tableIndex(world),
      await entries.apply(entry, { cas }),
    ]
    expect(await both(defaults('a', 'tcp'), index + 7)).toEqual([false, index, false])
    expect(await both(defaults('a', 'tcp'), 0)).toEqual([false, index, false])
    expect(await both(defaults('a', 'tcp'), index)).toEqual([true, index, true])
  })

  it('returns the result that the delete would have', async () => {
    await using world = await open()
    const { ask, service } = world
    await service.entries.apply([defaults('a'), splitter('a', 'a'), defaults('b')])
    const index = await tableIndex(world)
    for (const [path, cas] of [
      ['config/service-defaults/a', ''],
      ['config/service-defaults/b', `&cas=${index}`],
      ['config/service-splitter/a', `&cas=${index + 9}`],
      ['config/service-splitter/a', ''],
    ]) {
      const now = await tableIndex(world)
      const foretold = await ask('DELETE', `${path}?dry_run=true${cas}`)
      expect(await tableIndex(world)).toBe(now)
      expect(await ask('DELETE', `${path}?${cas?.slice(1)}`)).toEqual(foretold)
    }
    expect(await namesOf(world, 'service-splitter')).toEqual([])
  })
})
