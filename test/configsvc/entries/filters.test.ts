/**
 * Filters on lists of every kind, generated from the members of the kind: by path, and by typed calls with the same expressions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENTRY_KINDS, type EntryKindName } from '../../../src/configsvc/entries/index.ts'
import type { Shape } from '../../../src/configsvc/expression/index.ts'
import { type Answer, type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'
import { BEFORE, ENTRY_OF_EACH_KIND, type Json } from '../../fixtures/entry-of-each-kind.ts'

let world: ConfigWorld
beforeAll(async () => {
  world = await configWorld({ acl: { enabled: false } })
  for (const entry of [...BEFORE, ...ENTRY_OF_EACH_KIND.map((kind) => kind.entry)])
    expect(await world.ask('PUT', 'config', entry)).toMatchObject({ status: 200, body: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const filtered = (kind: string, filter: string): Promise<Answer> =>
  world.ask('GET', `config/${kind}?filter=${encodeURIComponent(filter)}`)

const quoted = (text: string): string => (text.includes('\n') ? `\`${text}\`` : JSON.stringify(text))

interface Leaf {
  readonly path: string
  readonly shape: Shape
}

/** Every member with a single value, in records and lists, too. */
function* leavesOf(shape: Shape, path = '', depth = 0): Iterable<Leaf> {
  if (shape.kind === 'list') yield* shape.of.kind === 'record' ? leavesOf(shape.of, path, depth) : [{ path, shape }]
  else if (shape.kind !== 'record') yield { path, shape }
  else
    for (const [name, member] of Object.entries(shape.members))
      yield* leavesOf(member, path === '' ? name : `${path}.${name}`, depth + 1)
}

const leaves = (kind: string): readonly Leaf[] => [...leavesOf(ENTRY_KINDS.get(kind)?.body.shape as Shape)]

/** A string that is neither a number nor a boolean. */
const WRONG = '"some text"'

/** The members of an entry with a single value, and their values. */
function* valuesOf(value: unknown, path: string): Iterable<readonly [path: string, value: string | number | boolean]> {
  if (Array.isArray(value) || value === null) return
  if (typeof value === 'object')
    for (const [name, member] of Object.entries(value as Json)) yield* valuesOf(member, path === '' ? name : `${path}.${name}`)
  else yield [path, value as string | number | boolean]
}

describe.each([...ENTRY_KINDS.keys()])('a list of kind %s', (kind) => {
  it('can be filtered by each member of the kind', async () => {
    for (const { path, shape } of leaves(kind)) {
      const expression = shape.kind === 'string' ? `${path} == "x"` : `${path} is empty`
      const filter = ['int', 'float'].includes(shape.kind)
        ? `${path} != 7`
        : shape.kind === 'bool'
          ? `${path} == true`
          : expression
      const { status, body } = await filtered(kind, filter)
      expect([filter, status, Array.isArray(body)]).toEqual([filter, 200, true])
    }
  })

  it('is refused with 400 if the filter compares a member with a value of another type', async () => {
    for (const { path, shape } of leaves(kind)) {
      if (shape.kind === 'string' || shape.kind === 'map' || shape.kind === 'list' || shape.kind === 'other map') continue
      const { status, body } = await filtered(kind, `${path} == ${WRONG}`)
      expect([path, status, body]).toEqual([path, 400, expect.stringMatching(/^filter: /)])
    }
  })

  it('is refused with 400 if the filter has an unknown member or is not an expression', async () => {
    const filters = [
      'Stranger == 1',
      'Meta.a.b == 1',
      'Name.first == a',
      'kind == x',
      'Name ==',
      '(',
      'Name == "x',
      'Name contains',
    ]
    for (const filter of filters) {
      const refused = await filtered(kind, filter)
      expect([filter, refused.status, refused.body]).toEqual([filter, 400, expect.stringMatching(/^filter: /)])
      const typed = world.service.entries.list({ Kind: kind as EntryKindName, filter })
      await expect(typed).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST', status: 400, message: refused.body })
    }
  })

  it('can be filtered by name, Meta and ModifyIndex', async () => {
    const all: readonly Json[] = (await filtered(kind, '')).body
    for (const entry of all) {
      const names = async (filter: string) => (await filtered(kind, filter)).body.map(({ Name }: Json) => Name)
      const others = all.filter(({ Name }) => Name !== entry['Name']).map(({ Name }) => Name)
      expect(await names(`Name == ${quoted(String(entry['Name']))}`)).toEqual([entry['Name']])
      expect(await names(`Name != ${quoted(String(entry['Name']))}`)).toEqual(others)
      expect(await names(`Kind == "${kind}" and ModifyIndex == ${entry['ModifyIndex']}`)).toEqual([entry['Name']])
      expect(await names('Kind != "" and Meta is empty')).toEqual(all.filter(({ Meta }) => !Meta).map(({ Name }) => Name))
    }
  })
})

describe.each(ENTRY_OF_EACH_KIND)('an entry of kind $kind', ({ kind, name, entry }) => {
  it('matches a filter with == for each of its values, but not a filter with !=', async () => {
    const has = async (filter: string): Promise<boolean> => {
      const { status, body } = await filtered(kind, filter)
      expect([filter, status, body]).toEqual([filter, 200, expect.any(Array)])
      return body.some(({ Name }: Json) => Name === name)
    }
    const { Config: _opaque, ...members } = entry
    for (const [path, value] of valuesOf(members, '')) {
      const text = quoted(String(value))
      expect([path, await has(`${path} == ${text}`), await has(`${path} != ${text}`)]).toEqual([path, true, false])
      expect([path, await has(`not ${path} == ${text}`)]).toEqual([path, false])
      if (typeof value === 'string') expect(await has(`${text} in ${path}`)).toBe(true)
    }
  })
})

describe('filter expressions', () => {
  const of = async (kind: string, filter: string): Promise<readonly unknown[]> =>
    (await filtered(kind, filter)).body.map(({ Name }: Json) => Name)

  it('can compare values in maps and lists of an entry', async () => {
    expect(await of('mesh', 'Meta.team == edge')).toEqual(['mesh'])
    expect(await of('mesh', 'Meta["team"] != edge')).toEqual([])
    expect(await of('mesh', 'team in Meta')).toEqual(['mesh'])
    expect(await of('mesh', 'other in Meta')).toEqual([])
    expect(await of('mesh', 'Meta.other == ""')).toEqual([])
    expect(await of('service-splitter', 'Splits.Service == api')).toEqual(['web'])
    expect(await of('service-splitter', 'Splits.Weight == 50 and Splits is not empty')).toEqual(['web'])
    expect(await of('service-splitter', 'Splits.Weight == 51')).toEqual([])
    expect(await of('service-resolver', 'Redirect.Service matches `^a.i$`')).toEqual(['web'])
    expect(await of('ingress-gateway', 'Listeners.Services.Name == db')).toEqual(['front'])
    expect((await filtered('ingress-gateway', 'db in Listeners')).status).toBe(400)
  })

  it('can combine comparisons with and, or and not', async () => {
    expect(await of('service-defaults', 'Protocol == http and (Name == web or Name == api)')).toEqual(['api', 'web'])
    expect(await of('service-defaults', 'not (Name == web or Name == api)')).toEqual(['cache'])
  })

  it('are checked for syntax when a service-resolver is written whose subsets contain them', async () => {
    const resolver = (Filter: string) => ({ Kind: 'service-resolver', Name: 'subsets', Subsets: { v1: { Filter } } })
    for (const Filter of ['', 'Service.Meta.version == v1', 'Whatever.Is["There"] is empty', '"x" not in Service.Tags'])
      expect(await world.ask('PUT', 'config', resolver(Filter)), Filter).toMatchObject({ status: 200, body: true })
    for (const Filter of ['Service.Meta.version ==', '(', 'a b c', 'Service.Tags in', '"open']) {
      const { status, body } = await world.ask('PUT', 'config', resolver(Filter))
      expect([Filter, status, body]).toEqual([Filter, 400, expect.stringContaining('Subsets["v1"].Filter')])
    }
  })
})
