import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runToEnd } from '../../src/core/base/steps.ts'
import { jsonText } from '../../src/core/json/json-text.ts'
import { mergePatch } from '../../src/core/json/merge-patch.ts'
import { WideObject } from '../../src/core/json/wide-object.ts'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { openKv2 } from '../fixtures/kv-mounts.ts'
import { jsonObject, same } from './json-arbitraries.ts'
import { RUNS } from './support.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await openKv2({ storage: memoryStorage(), initialize: true })
})
afterAll(() => kernel.close())

type Data = Readonly<Record<string, unknown>>

async function ask(method: string, path: string, body?: string): Promise<Data> {
  const type = method === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {}
  const headers = { 'X-Service-Token': kernel.rootToken as string, ...type }
  const answer = await kernel.handle({
    method,
    path: `/v1/${path}`,
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
  })
  expect(answer.status).toBeLessThan(300)
  return (answer.body as { data?: Data } | undefined)?.data ?? {}
}

const writeAndRead: Readonly<Record<string, (data: Data) => Promise<unknown>>> = {
  'version 1 by path': async (data) => {
    await ask('POST', 'secret/x', jsonText(data))
    return ask('GET', 'secret/x')
  },
  'version 1 by typed call': async (data) => {
    await kernel.kv.writeSecret({ path: 'x', data })
    return (await kernel.kv.readSecret({ path: 'x' })).data
  },
  'version 2 by path': async (data) => {
    await ask('POST', 'kv2/data/x', jsonText({ data }))
    return (await ask('GET', 'kv2/data/x'))['data']
  },
  'version 2 by typed call': async (data) => {
    await kernel.kv2.at('kv2/').writeSecret({ path: 'x', data })
    return (await kernel.kv2.at('kv2/').readSecret({ path: 'x' })).data
  },
  'version 2 after a merge patch that adds it': async (data) => {
    await ask('POST', 'kv2/data/x', '{"data": {}}')
    await ask('PATCH', 'kv2/data/x', jsonText({ data: { inside: [data] } }))
    return ((await ask('GET', 'kv2/data/x'))['data'] as { inside: readonly [unknown] }).inside[0]
  },
  'version 2 after a merge patch of other members': async (data) => {
    await ask('POST', 'kv2/data/x', jsonText({ data: { inside: data, gone: 1 } }))
    await ask('PATCH', 'kv2/data/x', '{"data": {"gone": null, "new": {}}}')
    const { inside, ...rest } = (await ask('GET', 'kv2/data/x'))['data'] as { readonly inside: unknown }
    expect(rest).toEqual({ new: {} })
    return inside
  },
}

describe('a secret value', () => {
  it.each(Object.entries(writeAndRead))('is returned unchanged from kv %s', async (way, through) => {
    const sent = way.startsWith('version 1') ? jsonObject.filter((data) => Object.keys(data).length > 0) : jsonObject
    await fc.assert(
      fc.asyncProperty(sent, async (data) => {
        const read = await through(data)
        if (!same(read, data)) throw new Error(`was ${jsonText(data)}, is ${jsonText(read as object)}`)
      }),
      { numRuns: RUNS * 5 },
    )
  })

  it('in kv version 2 can be nested almost 10,000 objects deep', async () => {
    const deep = `${'{"a":'.repeat(9_990)}12345678901234567890${'}'.repeat(9_990)}`
    await ask('POST', 'kv2/data/deep', `{"data":${deep}}`)
    expect(jsonText((await ask('GET', 'kv2/data/deep'))['data'] as object)).toBe(deep)
    await ask('PATCH', 'kv2/data/deep', `{"data":${deep.replace('12345678901234567890', '{"b":null,"c":12345678901234567891}')}}`)
    const patched = jsonText((await ask('GET', 'kv2/data/deep'))['data'] as object)
    expect(patched).toBe(deep.replace('12345678901234567890', '{"c":12345678901234567891}'))
    const { subkeys } = (await ask('GET', 'kv2/subkeys/deep')) as { subkeys: object }
    expect(jsonText(subkeys)).toBe(patched.replace('12345678901234567891', 'null'))
  })

  it('can have 40,000 members', async () => {
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`m${i}`, i]))
    await ask('POST', 'kv2/data/many', jsonText({ data: many }))
    const patch = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i * 2}`, i % 2 === 0 ? null : -i]))
    await ask('PATCH', 'kv2/data/many', jsonText({ data: { ...patch, new: 1 } }))
    const read = (await ask('GET', 'kv2/data/many'))['data'] as object
    expect(read).toBeInstanceOf(WideObject)
    const expected = Object.entries({ ...many, ...patch, new: 1 }).filter(([, value]) => value !== null)
    expect(JSON.parse(jsonText(read))).toEqual(Object.fromEntries(expected))
  })
})

/** The pseudocode of RFC 7396, section 2. */
function reference(target: unknown, patch: unknown): unknown {
  const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, reference(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

describe('mergePatch', () => {
  it('follows RFC 7396, and does not modify its arguments', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (target, patch) => {
        const before = [jsonText(target), jsonText(patch)]
        expect(same(runToEnd(mergePatch(target, patch)), reference(target, patch))).toBe(true)
        expect([jsonText(target), jsonText(patch)]).toEqual(before)
      }),
      { numRuns: RUNS * 20 },
    )
  })

  // The cases of RFC 7396, appendix A, in which both target and patch are objects.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges %j with %j to %j', (target, patch, result) => {
    expect(runToEnd(mergePatch(target, patch))).toEqual(result)
  })
})
