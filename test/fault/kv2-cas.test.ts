/** Check-and-set with 64 concurrent callers: exactly one wins each version, in one kernel and in two kernels on one store. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../src/testing/index.ts'
import { openMounting } from '../fixtures/kv-mounts.ts'
import { runs } from '../fixtures/runs.ts'
import { LMDB } from '../fixtures/stores.ts'

const CALLERS = 64
const ROUNDS = runs({ quick: 4, soak: 50 })

type Open = () => Promise<readonly Kernel[]>

async function opener(storage: Storage, others: readonly Storage[]): Promise<readonly Kernel[]> {
  const first = await openMounting({ storage, initialize: true })
  await first.mount('kv2/', '2')
  const more = await Promise.all(others.map(async (storage) => (await openMounting({ storage: storage })).kernel))
  return [first.kernel, ...more]
}

const inMemory =
  (count: number): Open =>
  () => {
    const storage = memoryStorage({ maxOps: 128 })
    return opener(
      storage,
      Array.from({ length: count - 1 }, () => storage),
    )
  }

const overBadLines: Open = () => {
  const inner = memoryStorage({ maxOps: 128 })
  const line = (seed: number) => chaoticStorage(inner, { entropy: seededEntropy(`line ${seed}`) })
  return opener(line(0), [line(1)])
}

/** All callers write with the current version as `cas`. Returns those that succeeded. */
async function race(kernels: readonly Kernel[], path: string, cas: number): Promise<readonly number[]> {
  const calls = Array.from({ length: CALLERS }, (_, caller) => {
    const kv = (kernels[caller % kernels.length] as Kernel).kv2.at('kv2/')
    const call = { path, data: { caller }, options: { cas } }
    return caller % 3 === 0 && cas > 0 ? kv.patchSecret(call) : kv.writeSecret(call)
  })
  const outcomes = await Promise.allSettled(calls)
  const winners = outcomes.flatMap(({ status }, caller) => (status === 'fulfilled' ? [caller] : []))
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'KernelError', status: 400 })
  return winners
}

const places: readonly (readonly [string, Open])[] = [
  ['one kernel', inMemory(1)],
  ['two kernels on one store', inMemory(2)],
  ['two kernels with unreliable connections to one store', overBadLines],
]

describe.each(places)('64 concurrent writers in %s', (_, open) => {
  it('create each version once if they use check-and-set', async () => {
    const kernels = await open()
    const kv = (kernels[0] as Kernel).kv2.at('kv2/')
    for (let cas = 0; cas < ROUNDS; cas++) {
      const winners = await race(kernels, 'raced', cas)
      expect(winners.length).toBe(1)
      expect(await kv.readSecret({ path: 'raced', version: cas + 1 })).toMatchObject({
        data: { caller: winners[0] },
        metadata: { version: cas + 1 },
      })
    }
    expect((await kv.readMetadata({ path: 'raced' })).current_version).toBe(ROUNDS)
    await Promise.all(kernels.map((kernel) => kernel.close()))
  }, 120_000)

  it('write the metadata once for each value of metadata_cas', async () => {
    const kernels = await open()
    for (let cas = 0; cas < 2; cas++) {
      const calls = Array.from({ length: CALLERS }, (_unused, caller) =>
        (kernels[caller % kernels.length] as Kernel).kv2
          .at('kv2/')
          .writeMetadata({ path: 'set', max_versions: caller + 1, metadata_cas: cas }),
      )
      const outcomes = await Promise.allSettled(calls)
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    }
    await Promise.all(kernels.map((kernel) => kernel.close()))
  }, 120_000)

  it('lose no write if they do not use check-and-set', async () => {
    const kernels = await open()
    const kv = (kernels[0] as Kernel).kv2.at('kv2/')
    await kv.configure({ max_versions: 200 })
    const writes = Array.from({ length: CALLERS }, (_unused, caller) =>
      (kernels[caller % kernels.length] as Kernel).kv2.at('kv2/').writeSecret({ path: 'many', data: { caller } }),
    )
    const versions = (await Promise.all(writes)).map(({ version }) => version)
    expect([...versions].sort((a, b) => a - b)).toEqual(Array.from({ length: CALLERS }, (_unused, index) => index + 1))
    for (const [caller, version] of versions.entries())
      expect((await kv.readSecret({ path: 'many', version })).data).toEqual({ caller })
    await Promise.all(kernels.map((kernel) => kernel.close()))
  }, 120_000)
})

describe('64 concurrent writers on an LMDB store', () => {
  it('create each version once if they use check-and-set', async () => {
    const { storage, drop } = await LMDB.open()
    const kernels = await opener(storage, [])
    for (let cas = 0; cas < 2; cas++) expect((await race(kernels, 'raced', cas)).length).toBe(1)
    await Promise.all(kernels.map((kernel) => kernel.close()))
    await drop()
  }, 120_000)
})
