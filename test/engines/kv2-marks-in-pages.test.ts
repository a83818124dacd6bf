/**
 * In the older format, the deletion marks of all versions are stored in pages.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, type Kv2, keySeal, memoryStorage, type Storage, systemClock } from '../../src/index.ts'
import { refusalOf } from '../property/support.ts'

interface ReadVersion {
  readonly created_time: string
  readonly deletion_time: string
  readonly destroyed: boolean
}

interface ReadKey {
  readonly current_version: number
  readonly versions: Readonly<Record<string, ReadVersion>>
}

const fixture = JSON.parse(readFileSync(new URL('../fixtures/kv2-marks-in-pages.json', import.meta.url), 'utf8')) as {
  readonly made: number
  readonly seal_key: string
  readonly metadata: Readonly<Record<string, ReadKey>>
  readonly entries: Readonly<Record<string, string>>
}

async function opened(): Promise<{ kernel: Kernel; kv: Kv2; storage: Storage }> {
  const storage = memoryStorage()
  for (const [key, value] of Object.entries(fixture.entries))
    await storage.commit([{ op: 'put', key, value: Buffer.from(value, 'base64') }], key)
  let now = fixture.made
  const clock = { now: () => ++now, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 1), signal) }
  const kernel = await createKernel({ storage, clock, seal: keySeal(Buffer.from(fixture.seal_key, 'base64')) })
  return { kernel, kv: kernel.kv2.at('kv2/'), storage }
}

const write = async (kv: Kv2, path: string, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n++) expect(await kv.writeSecret({ path, data: { n } })).toMatchObject({ version: n })
}

/** Checks that each version can be read or is deleted, as recorded. */
async function checkVersions(kv: Kv2, path: string, versions: Readonly<Record<string, ReadVersion>>): Promise<void> {
  for (const [version, { destroyed, deletion_time }] of Object.entries(versions)) {
    const read = kv.readSecret({ path, version: Number(version) })
    if (!destroyed && deletion_time === '') expect((await read).data).toEqual({ n: Number(version) })
    else expect(await refusalOf(read)).toMatchObject({ status: 404, details: { destroyed, deletion_time } })
  }
}

describe('kv2 secrets stored by an older release', () => {
  it.each(Object.keys(fixture.metadata))('return their recorded metadata and versions: %s', async (path) => {
    const { kernel, kv } = await opened()
    const expected = fixture.metadata[path] as ReadKey
    expect(await kv.readMetadata({ path })).toEqual(expected)
    expect((await kv.listDetails({ path: '' })).key_info[path]).toEqual(expected)
    if (path !== 'timed') await checkVersions(kv, path, expected.versions)
    await kernel.close()
  })

  it.each([1, 20, 40, 300])('keep the state of their versions while %i more versions are written', async (more) => {
    const { kernel, kv } = await opened()
    for (const path of ['few', 'many']) {
      const before = fixture.metadata[path] as ReadKey
      await write(kv, path, before.current_version + 1, before.current_version + more)
      const { versions } = await kv.readMetadata({ path })
      const limit = path === 'few' ? 10 : 500
      const oldest = Math.max(1, before.current_version + more - limit + 1)
      expect(Object.keys(versions).map(Number)).toEqual(
        Array.from({ length: before.current_version + more - oldest + 1 }, (_, index) => oldest + index),
      )
      const left = Object.entries(before.versions).filter(([version]) => Number(version) >= oldest)
      expect(versions).toMatchObject(Object.fromEntries(left))
      await checkVersions(kv, path, versions)
    }
    await kernel.close()
  })

  it('allow old and new versions to be deleted, undeleted and destroyed in one request', async () => {
    const { kernel, kv } = await opened()
    await write(kv, 'many', 141, 145)
    await kv.deleteVersions({ path: 'many', versions: [2, 130, 142] })
    for (const version of [2, 130, 142])
      expect(await refusalOf(kv.readSecret({ path: 'many', version }))).toMatchObject({ status: 404 })
    await kv.undeleteVersions({ path: 'many', versions: [1, 2, 130, 142] })
    for (const version of [1, 2, 130, 142]) expect((await kv.readSecret({ path: 'many', version })).data).toEqual({ n: version })
    await kv.destroyVersions({ path: 'many', versions: [130, 142] })
    for (const version of [130, 142])
      expect(await refusalOf(kv.readSecret({ path: 'many', version }))).toMatchObject({ details: { destroyed: true } })
    await kernel.close()
  })

  it('leave no records when they are deleted', async () => {
    const { kernel, kv, storage } = await opened()
    await write(kv, 'default', 15, 60)
    for (const path of Object.keys(fixture.metadata)) await kv.deleteMetadata({ path })
    for (let more = true; more; ) {
      const { done, failed, more: left } = await kernel.tick()
      expect(failed).toEqual([])
      more = done > 0 || left
    }
    const folders = (await storage.list('r/')).map((key) => key.split('/')).filter(([place]) => place !== 'core')
    expect(folders.filter(([, folder]) => ['key', 'page', 'data', 'sweep'].includes(folder as string))).toEqual([])
    await kernel.close()
  })
})
