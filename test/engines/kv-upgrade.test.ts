/** The mount serves version 2 immediately while its secrets are converted in the background. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../src/index.ts'
import { Crashed, crashingStorage } from '../../src/testing/index.ts'
import { type Mounting, openMounting } from '../fixtures/kv-mounts.ts'
import { runs } from '../fixtures/runs.ts'
import { refusalOf } from '../property/support.ts'

const START = Date.UTC(2026, 0, 1)
const MANY = runs({ quick: 120, soak: 3000 })

function movable() {
  let now = START
  return {
    now: () => now,
    sleep: (): Promise<void> => new Promise((resolve) => setImmediate(resolve)),
    pass: (seconds: number): void => {
      now += seconds * 1000
    },
  }
}

const pathOf = (i: number): string => (i % 2 === 0 ? `folder/s${i}` : `s${i}`)

/** A mount of version 1 with many secrets. */
async function filled(storage: Storage, clock = movable()): Promise<Mounting> {
  const mounting = await openMounting({ storage, clock, initialize: true })
  await mounting.mount('kv/', '1')
  for (let i = 0; i < MANY; i++)
    await mounting.kernel.kv.at('kv/').writeSecret({ path: pathOf(i), data: { i, ttl: '5m', big: 12345678901234567890n } })
  clock.pass(60)
  return mounting
}

async function tickToTheEnd(kernel: Kernel): Promise<void> {
  for (;;) {
    const { done, failed, more } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0 && !more) return
  }
}

const foldersOf = async (storage: Storage): Promise<ReadonlySet<string>> =>
  new Set((await storage.list('r/')).filter((key) => !key.startsWith('core/')).map((key) => key.split('/')[1] as string))

describe('a kv mount after its upgrade to version 2', () => {
  it('answers version 2 requests immediately after the upgrade commit, and after the conversion', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { kernel, upgrade } = await filled(storage)
    const kv = kernel.kv2.at('kv/')
    await upgrade('kv/')
    const namesInFolder = Array.from({ length: MANY / 2 }, (_, i) => `s${2 * i}`).sort()
    const look = async () => {
      for (const i of [1, 4, MANY - 1]) {
        expect(await kv.readSecret({ path: pathOf(i) })).toMatchObject({
          data: { i, ttl: '5m', big: 12345678901234567890n },
          metadata: { version: 1, created_time: '2026-01-01T00:01:00.000Z' },
        })
      }
      expect((await kv.listSecrets({ path: 'folder' })).keys).toEqual(namesInFolder)
      expect((await kv.listSecrets({ path: 'folder', after: 's2', limit: 2 })).keys).toEqual(
        namesInFolder.filter((name) => name > 's2').slice(0, 2),
      )
      const { keys, key_info } = await kv.listDetails({ path: 'folder' })
      expect(keys).toEqual(namesInFolder)
      expect(key_info['s4']).toMatchObject({ current_version: 1, versions: { 1: { destroyed: false } } })
    }
    await look()
    expect(await refusalOf(kernel.kv.at('kv/').readSecret({ path: 's1' }))).toMatchObject({ status: 404 })
    await kernel.tick({ limit: 2 })
    await look()
    await tickToTheEnd(kernel)
    await look()
    expect(await foldersOf(storage)).toEqual(new Set(['key', 'data']))
    await kernel.close()
  })

  it('allows writes to secrets that are not converted yet', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { kernel, upgrade } = await filled(storage)
    const kv = kernel.kv2.at('kv/')
    await upgrade('kv/')
    await kv.writeSecret({ path: 's1', data: { i: 'new' }, options: { cas: 1 } })
    await kv.patchSecret({ path: 's3', data: { ttl: null } })
    await kv.deleteLatest({ path: 's5' })
    await kv.destroyVersions({ path: 's7', versions: [1] })
    await kv.writeMetadata({ path: 's9', max_versions: 3 })
    await kv.deleteMetadata({ path: 's11' })
    expect(await refusalOf(kv.writeSecret({ path: 's13', data: {}, options: { cas: 0 } }))).toMatchObject({ status: 400 })
    const look = async () => {
      expect((await kv.readSecret({ path: 's1' })).data).toEqual({ i: 'new' })
      expect((await kv.readSecret({ path: 's1', version: 1 })).data).toMatchObject({ i: 1 })
      expect((await kv.readSecret({ path: 's3' })).data).toEqual({ i: 3, big: 12345678901234567890n })
      expect(await refusalOf(kv.readSecret({ path: 's5' }))).toMatchObject({ details: { destroyed: false } })
      expect(await refusalOf(kv.readSecret({ path: 's7' }))).toMatchObject({ details: { destroyed: true } })
      expect(await kv.readMetadata({ path: 's9' })).toMatchObject({ max_versions: 3, current_version: 1 })
      expect(await refusalOf(kv.readMetadata({ path: 's11' }))).toMatchObject({ status: 404 })
      expect((await kv.listSecrets()).keys.length).toBe(MANY / 2)
    }
    await look()
    await tickToTheEnd(kernel)
    await look()
    await kernel.close()
  })

  it('is converted completely even if the process crashes at any commit', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1; ; crashAt++) {
        const storage = memoryStorage({ maxOps: 128 })
        const { kernel, upgrade } = await filled(storage)
        await upgrade('kv/')
        await kernel.close()
        const clock = movable()
        clock.pass(60)
        const failing = crashingStorage(storage, { crashAt, when })
        const doomed = (await openMounting({ storage: failing, clock })).kernel
        await tickToTheEnd(doomed).catch(() => undefined)
        await doomed.close().catch((error: unknown) => expect(error).toBeInstanceOf(Crashed))

        const heir = (await openMounting({ storage, clock })).kernel
        expect((await heir.kv2.at('kv/').listSecrets({ path: 'folder' })).keys.length).toBe(MANY / 2)
        await heir.tick()
        clock.pass(31)
        await tickToTheEnd(heir)
        for (let i = 0; i < MANY; i += 7)
          expect((await heir.kv2.at('kv/').readSecret({ path: pathOf(i) })).data).toMatchObject({ i })
        expect(await foldersOf(storage)).toEqual(new Set(['key', 'data']))
        await heir.close()
        if (!failing.crashed) break
      }
    }
  })

  it('refuses version 1 writes, even by a process that has not noticed the upgrade yet', async () => {
    const inner = memoryStorage()
    const clock = movable()
    const { kernel, upgrade } = await filled(inner, clock)
    // This process receives no change notifications, so it learns of the upgrade only by a conflict.
    const deaf: Storage = { ...inner, watch: async () => async () => undefined }
    const late = (await openMounting({ storage: deaf, clock })).kernel
    await late.kv.at('kv/').readSecret({ path: 's1' })
    await upgrade('kv/')
    await kernel.kv2.at('kv/').writeSecret({ path: 's1', data: { i: 'new' } })
    expect(await refusalOf(late.kv.at('kv/').writeSecret({ path: 's1', data: { i: 'lost' } }))).toMatchObject({ status: 404 })
    expect(await refusalOf(late.kv.at('kv/').deleteSecret({ path: 's3' }))).toMatchObject({ status: 404 })
    expect((await kernel.kv2.at('kv/').readSecret({ path: 's1' })).data).toEqual({ i: 'new' })
    expect((await kernel.kv2.at('kv/').readSecret({ path: 's3' })).data).toMatchObject({ i: 3 })
    await Promise.all([kernel.close(), late.close()])
  })
})
