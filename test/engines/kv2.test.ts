import { describe, expect, it } from 'vitest'
import { Crashed, crashingStorage } from '../../src/testing/index.ts'
import { openMounting } from '../fixtures/kv-mounts.ts'
import { refusalOf } from '../property/support.ts'
import { kept, movable, opened, small, tickToTheEnd, write } from './kv2-mount.ts'

describe('the typed kv2 facade', () => {
  it('writes, patches, reads, deletes, undeletes and destroys versions of a secret', async () => {
    const { kernel, kv, clock } = await opened()
    const first = await kv.writeSecret({ path: 'app/db', data: { user: 'ann', id: 12345678901234567890n } })
    expect(first).toEqual({
      version: 1,
      created_time: '2026-01-01T00:00:00.000Z',
      deletion_time: '',
      destroyed: false,
      custom_metadata: null,
    })
    await kv.patchSecret({ path: 'app/db', data: { user: null, more: { a: 1 } }, options: { cas: 1 } })
    expect(await kv.readSecret({ path: 'app/db' })).toMatchObject({ data: { id: 12345678901234567890n, more: { a: 1 } } })
    expect((await kv.readSubkeys({ path: 'app/db', depth: 1 })).subkeys).toEqual({ id: null, more: null })
    clock.pass(60)
    await kv.deleteLatest({ path: 'app/db' })
    const refusal = await refusalOf(kv.readSecret({ path: 'app/db' }))
    expect(refusal).toMatchObject({
      code: 'ERR_NOT_FOUND',
      status: 404,
      details: { version: 2, destroyed: false, deletion_time: '2026-01-01T00:01:00.000Z' },
    })
    await kv.undeleteVersions({ path: 'app/db', versions: [2] })
    expect((await kv.readSecret({ path: 'app/db' })).metadata.version).toBe(2)
    await kv.destroyVersions({ path: 'app/db', versions: [2] })
    expect(await refusalOf(kv.readSecret({ path: 'app/db' }))).toMatchObject({ details: { destroyed: true } })
    expect(await refusalOf(kv.readSecret({ path: 'none' }))).toMatchObject({ status: 404, details: {} })
    await kernel.close()
  })

  it('refuses invalid arguments', async () => {
    const { kernel, kv } = await opened()
    const anything = (value: unknown) => value as never
    await expect(kv.writeSecret(anything({ path: 'a', data: 'text' }))).rejects.toThrow(TypeError)
    await expect(kv.writeSecret({ path: 'a', data: {}, options: anything({ cas: '1' }) })).rejects.toThrow(TypeError)
    await expect(kv.writeSecret({ path: 'a', data: {}, options: anything({ other: 1 }) })).rejects.toThrow(TypeError)
    await expect(kv.destroyVersions({ path: 'a', versions: anything('1') })).rejects.toThrow(TypeError)
    await expect(kv.patchMetadata({ path: 'a', patch: anything({ other: 1 }) })).rejects.toThrow(TypeError)
    for (const call of [
      () => kv.writeSecret({ path: 'a/', data: {} }),
      () => kv.writeSecret({ path: '', data: {} }),
      () => kv.readSecret({ path: 'a', version: -1 }),
      () => kv.deleteVersions({ path: 'a', versions: [] }),
      () => kv.writeMetadata({ path: 'a', max_versions: 2 ** 32 }),
      () => kv.writeMetadata({ path: 'a', delete_version_after: 10 ** 10 }),
      () => kv.configure({ delete_version_after: '-soon' }),
    ])
      expect(await refusalOf(call())).toMatchObject({ status: 400 })
    await kernel.close()
  })

  it('is refused with 404 on a mount of the other kv version', async () => {
    const { kernel } = await opened()
    expect(await refusalOf(kernel.kv.at('kv2/').readSecret({ path: 'a' }))).toMatchObject({
      status: 404,
      message: 'no kv engine is mounted at kv2/; the engine at this path has the type kv-v2',
    })
    expect(await refusalOf(kernel.kv2.at('secret/').readSecret({ path: 'a' }))).toMatchObject({ status: 404 })
    expect(await refusalOf(kernel.kv2.listSecrets())).toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('keeps a deleted version deleted even if the clock is set back', async () => {
    const { kernel, kv, clock } = await opened()
    await kv.writeSecret({ path: 'a', data: { n: 1 } })
    await kv.deleteLatest({ path: 'a' })
    clock.pass(-3600)
    expect(await refusalOf(kv.readSecret({ path: 'a' }))).toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('requires check-and-set for metadata writes if so configured', async () => {
    const { kernel, kv } = await opened()
    await kv.writeMetadata({ path: 'a', metadata_cas_required: true, metadata_cas: 0 })
    expect(await refusalOf(kv.writeMetadata({ path: 'a', max_versions: 1 }))).toMatchObject({ status: 400 })
    expect(await refusalOf(kv.patchMetadata({ path: 'a', patch: { max_versions: 1, metadata_cas: 2 } }))).toMatchObject({
      status: 400,
    })
    await kv.patchMetadata({ path: 'a', patch: { max_versions: 1, metadata_cas: 1 } })
    await kv.configure({ metadata_cas_required: true })
    expect(await refusalOf(kv.writeMetadata({ path: 'b', max_versions: 1 }))).toMatchObject({ status: 400 })
    const { warnings } = await kv.writeMetadata({ path: 'b', metadata_cas_required: false, metadata_cas: 0 })
    expect(warnings).toEqual([expect.stringContaining('metadata_cas_required')])
    expect((await kv.readMetadata({ path: 'a' })).current_metadata_version).toBe(2)
    await kernel.close()
  })
})

const MANY = 1000

describe('a kv2 secret with 1,000 versions, in commits of at most 128 writes', () => {
  it('can be deleted, destroyed, trimmed and removed', async () => {
    const storage = small()
    const { kernel, kv } = await opened(storage)
    await kv.configure({ max_versions: 4_294_967_295 })
    await write(kv, 'a', MANY)
    expect(Object.keys((await kv.readMetadata({ path: 'a' })).versions).length).toBe(MANY)
    const odd = Array.from({ length: MANY / 2 }, (_, i) => 2 * i + 1)
    await kv.deleteVersions({ path: 'a', versions: odd })
    expect(await refusalOf(kv.readSecret({ path: 'a', version: 501 }))).toMatchObject({ status: 404 })
    await kv.undeleteVersions({ path: 'a', versions: odd })
    await kv.destroyVersions({ path: 'a', versions: odd })
    expect(await refusalOf(kv.readSecret({ path: 'a', version: 999 }))).toMatchObject({ details: { destroyed: true } })
    expect((await kv.readSecret({ path: 'a', version: 1000 })).data).toEqual({ n: 1000 })
    await tickToTheEnd(kernel)
    expect(await kept(storage)).toEqual({ config: 1, data: 500, key: 1, page: 8 })

    await kv.configure({ max_versions: 3 })
    await write(kv, 'a', 1)
    expect(Object.keys((await kv.readMetadata({ path: 'a' })).versions)).toEqual(['999', '1000', '1001'])
    expect(await refusalOf(kv.readSecret({ path: 'a', version: 998 }))).toMatchObject({ status: 404, details: {} })
    expect(await tickToTheEnd(kernel)).toBeGreaterThan(5)
    expect(await kept(storage)).toEqual({ config: 1, data: 2, key: 1, page: 1 })
    await kernel.close()
  })

  it('is removed in one commit, and its path can be written again before the cleanup', async () => {
    const storage = small()
    const { kernel, kv } = await opened(storage)
    await kv.writeMetadata({ path: 'a', max_versions: 2 * MANY })
    await write(kv, 'a', MANY)
    await kv.deleteMetadata({ path: 'a' })
    expect(await refusalOf(kv.readMetadata({ path: 'a' }))).toMatchObject({ status: 404 })
    await write(kv, 'a', 2)
    await tickToTheEnd(kernel)
    expect(Object.keys((await kv.readMetadata({ path: 'a' })).versions)).toEqual(['1', '2'])
    expect(await kept(storage)).toEqual({ data: 2, key: 1 })
    await kernel.close()
  })

  it('accepts a list of 100,000 versions to delete, most of which do not exist', async () => {
    const { kernel, kv } = await opened()
    const versions = Array.from({ length: 100_000 }, (_, i) => i + 1)
    await write(kv, 'a', 3)
    await kv.deleteVersions({ path: 'a', versions })
    expect(await refusalOf(kv.readSecret({ path: 'a' }))).toMatchObject({ status: 404 })
    await kernel.close()
  })
})

describe('the cleanup of deleted kv2 versions', () => {
  it('is completed after a crash at any commit', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1; ; crashAt++) {
        const storage = small()
        const { kernel, kv } = await opened(storage)
        await kv.configure({ max_versions: 500 })
        await write(kv, 'a', 300)
        await write(kv, 'b', 40)
        await kernel.close()

        const failing = crashingStorage(storage, { crashAt, when })
        const clock = movable()
        const doomed = (await openMounting({ storage: failing, clock })).kernel
        const outcome = await (async () => {
          await doomed.kv2.at('kv2/').deleteMetadata({ path: 'a' })
          await doomed.kv2.at('kv2/').destroyVersions({ path: 'b', versions: Array.from({ length: 40 }, (_, i) => i + 1) })
          await tickToTheEnd(doomed)
        })().catch((error: unknown) => error)
        await doomed.close().catch((error: unknown) => expect(error).toBeInstanceOf(Crashed))

        const heir = (await openMounting({ storage, clock })).kernel
        const again = heir.kv2.at('kv2/')
        await again.deleteMetadata({ path: 'a' })
        await again.destroyVersions({ path: 'b', versions: Array.from({ length: 40 }, (_, i) => i + 1) })
        await heir.tick()
        clock.pass(31)
        await tickToTheEnd(heir)
        expect(await kept(storage)).toEqual({ config: 1, key: 1, page: 1 })
        await heir.close()
        if (outcome === undefined) break
      }
    }
  }, 120_000)
})
