/** Expected statuses are the behavior of Vault and OpenBao. */
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

describe('PATCH of kv2 data if there is no current version', () => {
  it.each([
    ['a secret without versions', 'bare', undefined, 404],
    ['a secret without versions', 'bare', 0, 404],
    ['a secret without versions', 'bare', 3, 400],
    ['a secret that requires check-and-set', 'careful', undefined, 400],
    ['a secret that requires check-and-set', 'careful', 0, 404],
    ['a secret that requires check-and-set', 'careful', 1, 400],
    ['a missing secret', 'none', undefined, 404],
    ['a missing secret', 'none', 3, 404],
  ])('for %s (%s) with cas %s returns %i', async (_, path, cas, status) => {
    const options = cas === undefined ? {} : { cas }
    expect((await ask('PATCH', `kv2/data/${path}`, { data: { a: 1 }, options })).status).toBe(status)
    await expect(typed().patchSecret({ path, data: { a: 1 }, options })).rejects.toMatchObject({ status })
  })
})

describe('PATCH of kv2 metadata that does not exist', () => {
  const WRONG: readonly (readonly [string, object])[] = [
    ['a negative max_versions', { max_versions: -5 }],
    ['a max_versions that is too large', { max_versions: 2 ** 33 }],
    ['custom metadata of the wrong type', { custom_metadata: { a: { b: 'x' } } }],
    [
      'too many custom metadata entries',
      { custom_metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, 'x'])) },
    ],
    ['a metadata_cas that does not match', { metadata_cas: 7 }],
  ]

  it.each(WRONG)('returns 404 even with an invalid value: %s', async (_, patch) => {
    expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(404)
    expect((await ask('PATCH', 'kv2/metadata/bare', patch)).status).toBe(400)
    await expect(typed().patchMetadata({ path: 'none', patch })).rejects.toMatchObject({ status: 404 })
    await expect(typed().patchMetadata({ path: 'bare', patch })).rejects.toMatchObject({ status: 400 })
  })

  it('returns 404 with a valid or empty patch', async () => {
    for (const patch of [{}, { unknown: 1 }, { max_versions: 2 }, { custom_metadata: null }])
      expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(404)
  })

  it.each([{ max_versions: 'x' }, { custom_metadata: 'x' }, { cas_required: 'perhaps' }, { delete_version_after: '-5s' }])(
    'returns 400 for a value of the wrong type: %j',
    async (patch) => {
      expect((await ask('PATCH', 'kv2/metadata/none', patch)).status).toBe(400)
    },
  )
})
