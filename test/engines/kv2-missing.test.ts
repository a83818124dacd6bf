/** PATCH of what is not there, in version 2 of the key/value engine (source: behaviour of the originals). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  await ask('POST', 'sys/mounts/kv2', { type: 'kv', options: { version: '2' } })
  await ask('POST', 'kv2/metadata/bare', { max_versions: 5 })
  await ask('POST', 'kv2/metadata/careful', { cas_required: true })
})
afterAll(() => kernel.close())

const ask = (method: string, path: string, body: object) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': kernel.rootToken, 'Content-Type': 'application/merge-patch+json' },
    body,
  })
const typed = () => kernel.kv2.at('kv2/')

describe('of data', () => {
  it.each([
    ['a secret without versions', 'bare', undefined, 404],
    ['the same, of version 0', 'bare', 0, 404],
    ['the same, of another version', 'bare', 3, 400],
    ['one that wants check-and-set', 'careful', undefined, 400],
    ['the same, of version 0', 'careful', 0, 404],
    ['the same, of another version', 'careful', 1, 400],
    ['no secret at all', 'none', undefined, 404],
    ['no secret at all, of another version', 'none', 3, 404],
  ])('%s: %s, cas %s', async (_, path, cas, status) => {
    const options = cas === undefined ? {} : { cas }
    expect((await ask('PATCH', `kv2/data/${path}`, { data: { a: 1 }, options })).status).toBe(status)
    await expect(typed().patchSecret({ path, data: { a: 1 }, options })).rejects.toMatchObject({ status })
  })
})

describe('of metadata', () => {
  const WRONG: readonly (readonly [string, object])[] = [
    ['a negative count', { max_versions: -5 }],
    ['a count that is too large', { max_versions: 2 ** 33 }],
    ['metadata of the wrong kind', { custom_metadata: { a: { b: 'x' } } }],
    ['too much metadata', { custom_metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, 'x'])) }],
    ['a count of writes that does not fit', { metadata_cas: 7 }],
  ]

  it.each(WRONG)('that is missing is a 404, whatever is wrong with a value: %s', async (_, patch) => {
    expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(404)
    expect((await ask('PATCH', 'kv2/metadata/bare', patch)).status).toBe(400)
    await expect(typed().patchMetadata({ path: 'none', patch })).rejects.toMatchObject({ status: 404 })
    await expect(typed().patchMetadata({ path: 'bare', patch })).rejects.toMatchObject({ status: 400 })
  })

  it('that is missing is a 404 for nothing at all, too', async () => {
    for (const patch of [{}, { unknown: 1 }, { max_versions: 2 }, { custom_metadata: null }])
      expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(404)
  })

  it.each([{ max_versions: 'x' }, { custom_metadata: 'x' }, { cas_required: 'perhaps' }, { delete_version_after: '-5s' }])(
    'has types judged first: %j',
    async (patch) => {
      expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(400)
    },
  )
})
