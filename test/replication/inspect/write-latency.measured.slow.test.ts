/** The time of a write during a reindex on LMDB, compared with the time of a write without one in the same process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, type Kernel, keySeal } from '../../../src/index.ts'
import { lowest } from '../../fixtures/calibration.ts'
import { runs } from '../../fixtures/runs.ts'
import { TIER } from '../../tiers.ts'

const HELD = runs({ quick: 12_000, soak: 1_000_000 })

const WRITES = runs({ quick: 60, soak: 500 })

/** A reindex begins with the next round of tree maintenance, up to 3 seconds after the request, which makes a round slow. */
const ROUNDS = runs({ quick: 2, soak: 4 })

const MAX_RATIO = 2

const MAX_DELAY_MS = 50

/** The milliseconds of each of `count` consecutive writes. */
async function timesOf(kernel: Kernel, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const begun = performance.now()
    await kernel.kv.writeSecret({ path: `w/${n % 500}`, data: { n } })
    times.push(performance.now() - begun)
  }
  return times
}

function shown(times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1] as number, late: sorted[Math.floor(sorted.length * 0.99)] as number }
}

it(`a write during a reindex of ${HELD} records takes at most twice as long as without a reindex`, async () => {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const storage = lmdbStorage({ path })
  const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })
  for (let n = 0; n < HELD; n += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => kernel.kv.writeSecret({ path: `h/${n + at}`, data: { value: 'x'.repeat(85) } })),
    )
  await kernel.replication.enablePrimary()
  await kernel.tick()
  const stop = kernel.start()
  await timesOf(kernel, WRITES)
  /** The time of writes during a reindex in relation to their limits: the larger of the two ratios. */
  const measure = async (): Promise<number> => {
    const [alone, during] = await measured(kernel)
    return Math.max(during.median / (alone.median * MAX_RATIO), (during.late - alone.late) / MAX_DELAY_MS)
  }
  expect(await lowest(measure, 1)).toBeLessThan(1)
  stop()
  await kernel.close()
  await storage.close()
  await rm(path, { recursive: true })
})

/** Alternates writes without and during a reindex, so that other load on the machine slows both alike. */
async function measured(kernel: Kernel) {
  const times = { alone: [] as number[], during: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(...(await timesOf(kernel, WRITES)))
    await kernel.replication.reindex()
    const begun = (await kernel.replication.readStatus()).reindex?.done ?? 0
    while (((await kernel.replication.readStatus()).reindex?.done ?? 0) === begun) await setTimeout(5)
    times.during.push(...(await timesOf(kernel, WRITES)))
    const { reindex } = await kernel.replication.readStatus()
    // All writes were made during the reindex.
    expect(reindex).toBeDefined()
    await kernel.replication.stopReindex()
  }
  const [alone, during] = [shown(times.alone), shown(times.during)]
  if (TIER === 'soak') console.log({ alone, during })
  return [alone, during] as const
}
