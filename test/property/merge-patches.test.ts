/** Every PATCH operation is a JSON merge patch (RFC 7396), checked against a model of a few lines. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { EVERY_OPERATION } from '../fixtures/every-operation.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Members = Readonly<Record<string, Json>>

interface Patched {
  /** Sets the document that the operation patches. */
  readonly write: (document: Members) => Promise<unknown>
  readonly patch: (patch: Json | undefined) => Promise<number>
  readonly read: () => Promise<unknown>
  /** The values that a member can have. */
  readonly values: fc.Arbitrary<Json>
  /** Whether the document itself can be removed. */
  readonly removable: boolean
}

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
})
afterAll(() => kernel.close())

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; data: Members | null }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { 'X-Service-Token': kernel.rootToken, 'Content-Type': type }
  const answer = await kernel.handle({ method, path: `/v1/${path}`, headers, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, data: (answer.body as { data?: Members } | undefined)?.data ?? null }
}

const named = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value })

const TEXTS = fc.constantFrom('a', 'b', 'c d')

/** The document of each PATCH operation, by the title of the operation. */
const PATCHED: Readonly<Record<string, Patched>> = {
  'kv-v2 patchSecret': {
    write: (data) => ask('POST', 'kv2/data/a', { data }),
    patch: async (data) => (await ask('PATCH', 'kv2/data/a', named('data', data))).status,
    read: async () => (await ask('GET', 'kv2/data/a')).data?.['data'],
    values: fc.oneof(
      TEXTS,
      fc.integer(),
      fc.constant([null, { x: null }]),
      fc.constantFrom<Json>({}, { x: 1 }, { x: { y: 2 }, z: 3 }),
    ),
    removable: false,
  },
  'kv-v2 patchMetadata': {
    write: (custom_metadata) => ask('POST', 'kv2/metadata/m', { custom_metadata }),
    patch: async (patch) => (await ask('PATCH', 'kv2/metadata/m', named('custom_metadata', patch))).status,
    read: async () => (await ask('GET', 'kv2/metadata/m')).data?.['custom_metadata'] ?? {},
    values: TEXTS,
    removable: true,
  },
  'system patchNamespace': {
    write: (custom_metadata) => ask('POST', 'sys/namespaces/n', { custom_metadata }),
    patch: async (patch) => (await ask('PATCH', 'sys/namespaces/n', named('custom_metadata', patch))).status,
    read: async () => (await ask('GET', 'sys/namespaces/n')).data?.['custom_metadata'],
    values: TEXTS,
    removable: true,
  },
}

/** The MergePatch function of RFC 7396, section 2. */
function merged(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const before = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const result = new Map<string, Json>(Object.entries(before))
  for (const [name, value] of Object.entries(patch))
    if (value === null) result.delete(name)
    else result.set(name, merged(result.get(name), value))
  return Object.fromEntries(result)
}

it('this test covers every PATCH operation', () => {
  const titles = EVERY_OPERATION.filter(({ operation }) => operation.verb === 'PATCH').map(({ title }) => title)
  // `patchNothing` refuses paths without a name.
  expect(titles.filter((title) => title !== 'kv-v2 patchNothing').sort()).toEqual(Object.keys(PATCHED).sort())
})

describe.each(Object.entries(PATCHED))('the PATCH operation %s', (_, { write, patch, read, values, removable }) => {
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
  const documents = fc.dictionary(names, values, { noNullPrototype: true, maxKeys: 4 })
  const patches = fc.dictionary(names, fc.oneof(values, fc.constant(null)), { noNullPrototype: true, maxKeys: 4 })

  beforeEach(() => write({ a: 'before', b: 'stays' }))

  it('applies any patch to any document as in RFC 7396', async () => {
    const property = fc.asyncProperty(documents, patches, async (document, change) => {
      await write(document)
      expect(await patch(change)).toBeLessThan(300)
      expect(await read()).toEqual(merged(document, change))
    })
    await fc.assert(property, { numRuns: runs({ quick: 20, slow: 400, soak: 10_000 }) })
  })

  it.runIf(removable)('removes the whole document if the patch is null', async () => {
    expect(await patch(null)).toBeLessThan(300)
    expect(await read()).toEqual({})
    expect(await patch({ a: 'again' })).toBeLessThan(300)
    expect(await read()).toEqual({ a: 'again' })
  })

  it('leaves the document unchanged if the request has no patch', async () => {
    await patch(undefined)
    expect(await read()).toEqual({ a: 'before', b: 'stays' })
  })

  it('refuses a patch that is neither an object nor null', async () => {
    for (const value of ['text', 1, true, ['a']]) expect([value, await patch(value)]).toEqual([value, 400])
    expect(await read()).toEqual({ a: 'before', b: 'stays' })
  })
})

it('namespaces.patchNamespace deletes all metadata if custom_metadata is null', async () => {
  await kernel.namespaces.createNamespace({ name: 'typed', custom_metadata: { a: 'b' } })
  expect((await kernel.namespaces.patchNamespace({ name: 'typed', custom_metadata: null })).custom_metadata).toEqual({})
})

it('a PATCH of kv version 2 metadata resets every setting that is null in the patch', async () => {
  await ask('POST', 'kv2/metadata/s', { max_versions: 3, cas_required: true, delete_version_after: '1h' })
  const all = { max_versions: null, cas_required: null, delete_version_after: null, metadata_cas_required: null }
  expect((await ask('PATCH', 'kv2/metadata/s', all)).status).toBe(204)
  expect((await ask('GET', 'kv2/metadata/s')).data).toMatchObject({
    max_versions: 0,
    cas_required: false,
    delete_version_after: '0s',
    metadata_cas_required: false,
  })
})
