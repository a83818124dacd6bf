/** A writer beside a reindex, on LMDB: what a write takes with it and without. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, type Kernel, keySeal } from '../../../src/index.ts'
import { MEASURED } from '../../fixtures/measured.ts'

const HELD = process.env['SLOW'] ? 1_000_000 : 12_000

const WRITES = process.env['SLOW'] ? 500 : 60

const ROUNDS = 6

const MOST_TIMES = 2

const MOST_MORE_MS = 50

/** What each of so many writes takes, one after the other, in milliseconds. */
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
  const sorted = [...times].sort((one, other) => one - other)
  return { median: sorted[sorted.length >> 1] as number, late: sorted[Math.floor(sorted.length * 0.99)] as number }
}

it(`a write beside the reindex of ${HELD} records takes at most twice as long`, { ...MEASURED, timeout: 3_600_000 }, async () => {
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
  const times = { alone: [] as number[], beside: [] as number[] }
  const done: number[] = []
  // In turn, so that whatever else the machine does meets both alike.
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(...(await timesOf(kernel, WRITES)))
    await kernel.replication.reindex()
    const begun = (await kernel.replication.readStatus()).reindex?.done ?? 0
    while (((await kernel.replication.readStatus()).reindex?.done ?? 0) === begun) await setTimeout(5)
    times.beside.push(...(await timesOf(kernel, WRITES)))
    const { reindex } = await kernel.replication.readStatus()
    // All of them were beside it.
    expect(reindex).toBeDefined()
    done.push(reindex?.done ?? 0)
    await kernel.replication.stopReindex()
  }
  stop()
  const [alone, beside] = [shown(times.alone), shown(times.beside)]
  if (process.env['SLOW'] || process.env['SHOW']) console.log({ alone, beside, done })
  expect(beside.median).toBeLessThan(alone.median * MOST_TIMES)
  expect(beside.late).toBeLessThan(alone.late + MOST_MORE_MS)
  await kernel.close()
  await storage.close()
  await rm(path, { recursive: true })
})
