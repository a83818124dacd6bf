/** Checks and reindexes beside requests: no false alarms, stopped and gone on with, by whoever opens the store. */
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { clusters, pair, rootOf } from '../clusters/cluster.ts'
import { drPair, drRootOf, mirrorOf, ticked } from '../dr/pair.ts'
import { write } from './faults.ts'

const RUNS = process.env['SLOW'] ? 10_000 : 8

/** Writes until it is told to stop. */
function writing(kernel: Kernel): () => Promise<number> {
  let over = false
  const lane = async (name: string): Promise<number> => {
    let count = 0
    for (; !over; count++) {
      const path = `${name}/${count % 7}`
      if (count % 5 === 4) await kernel.kv.deleteSecret({ path })
      else await kernel.kv.writeSecret({ path, data: { count } })
      await new Promise((resolve) => setImmediate(resolve))
    }
    return count
  }
  const lanes = ['a', 'b', 'c'].map(lane)
  return async () => {
    over = true
    return (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0)
  }
}

it(`${RUNS} checks under writes find nothing, here or there`, { timeout: 3_600_000 }, async () => {
  const [primary, secondary] = await pair(clusters())
  for (let n = 0; n < 30; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
  const diverged: unknown[] = []
  for (const kernel of [primary, secondary]) kernel.events.on('replication.diverged', (event) => void diverged.push(event))
  const stop = writing(primary)
  for (let run = 0; run < RUNS; run++) {
    const [here, there] = await Promise.all([
      primary.replication.merkleCheck(),
      secondary.replication.merkleCheck(),
      primary.tick(),
      secondary.tick(),
    ])
    for (const { details, merkle_corruption_report: report } of [here, there]) {
      expect(details).toEqual([])
      expect(report.corrupted_root).toBe(false)
      expect(report.corrupted_tree_map['1']).toMatchObject({ corrupted_subtree_root: false, corrupted_index_tuples_map: null })
    }
  }
  expect(await stop()).toBeGreaterThan(RUNS)
  expect(diverged).toEqual([])
  await ticked(secondary)
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})

it('a reindex under writes ends with the tree of what is stored, whatever was in it, and as often as it was stopped', {
  timeout: 300_000,
}, async () => {
  const storage = memoryStorage({ maxOps: 128 })
  const options = { storage, seal: keySeal(new Uint8Array(32).fill(9)), initialize: true }
  const kernel = await createKernel(options)
  for (let n = 0; n < 2500; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await kernel.replication.enablePrimary()
  await kernel.tick()
  const gone = (await storage.scan('r/')).filter(({ key }) => /\/s\/\d*7$/.test(key))
  for (const { key } of gone) await write(storage, key, undefined)
  expect((await kernel.replication.merkleCheck()).details).toHaveLength(gone.length)
  const before = await rootOf(kernel)
  await kernel.replication.reindex()
  await expect(kernel.replication.reindex()).rejects.toMatchObject({ status: 400 })
  const stop = writing(kernel)
  await kernel.tick()
  await kernel.replication.stopReindex()
  await expect(kernel.replication.stopReindex()).rejects.toMatchObject({ status: 400 })
  await kernel.tick()
  expect(await kernel.replication.readStatus()).not.toHaveProperty('reindex')
  await stop()
  // Whoever opens the store later goes on where it was.
  await kernel.replication.reindex()
  const { reindex } = await kernel.replication.readStatus()
  expect(reindex?.done).toBeGreaterThan(500)
  await kernel.close()
  const again = await createKernel({ ...options, initialize: false })
  expect((await again.replication.readStatus()).reindex).toEqual(reindex)
  let ticks = 0
  for (; (await again.replication.readStatus()).reindex; ticks++) await again.tick()
  expect(ticks).toBeGreaterThan(0)
  expect((await again.replication.merkleCheck()).details).toEqual([])
  const status = await again.replication.readStatus()
  expect(status).toMatchObject({ corrupted_merkle_tree: false })
  expect(Number(status.last_reindex_epoch)).toBeGreaterThan(0)
  expect(status.merkle_root).not.toBe(before)
  // The same as a tree that is made of nothing else.
  await again.replication.reindex({ force: true })
  for (let ticking = 0; (await again.replication.readStatus()).reindex && ticking < 20; ticking++) await again.tick()
  expect(await rootOf(again)).toBe(status.merkle_root)
  await again.close()
})

it('a check that was stopped says so, and another call goes on', async () => {
  const storage = memoryStorage({ maxOps: 128 })
  const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(9)), initialize: true })
  for (let n = 0; n < 1500; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await kernel.replication.enablePrimary()
  await kernel.tick()
  const stopped = kernel.replication.merkleCheck().then(
    () => undefined,
    (error: unknown) => error,
  )
  while (((await kernel.replication.readStatus()).merkle_check?.done ?? 0) < 300)
    await new Promise((resolve) => setImmediate(resolve))
  await kernel.replication.stopMerkleCheck()
  expect(await stopped).toMatchObject({ status: 503 })
  const going = kernel.replication.merkleCheck()
  let first: number | undefined
  while (first === undefined) {
    first = (await kernel.replication.readStatus()).merkle_check?.done
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(first).toBeGreaterThan(300)
  expect((await going).details).toEqual([])
  await kernel.close()
})

describe('a secondary for disaster recovery', () => {
  it('is checked and reindexed by its own token, and nobody else is', async () => {
    const [primary, secondary] = await drPair(clusters())
    await primary.tokens.createToken({ policies: ['default'] })
    await ticked(secondary)
    const { replication } = secondary
    await expect(primary.replication.dr.merkleCheck()).rejects.toMatchObject({ status: 400 })
    await expect(primary.replication.dr.reindex()).rejects.toMatchObject({ status: 400 })
    await expect(replication.merkleCheck()).rejects.toMatchObject({ status: 400, code: 'ERR_DR_SECONDARY' })
    await expect(replication.reindex()).rejects.toMatchObject({ status: 400, code: 'ERR_DR_SECONDARY' })
    for (const path of ['reindex', 'merkle-check']) {
      const ask = (body: object) =>
        secondary.handle({ method: 'POST', path: `/v1/sys/replication/dr/secondary/${path}`, headers: {}, body })
      expect((await ask({})).status).toBe(400)
      expect((await ask({ dr_operation_token: 'none' })).status).toBe(403)
    }
    const { merkle_corruption_report: report, details } = await replication.dr.merkleCheck()
    expect(details).toEqual([])
    expect(Object.values(report.corrupted_tree_map).map(({ tree_type }) => tree_type)).toEqual(['replicated', 'local'])
    await replication.dr.reindex()
    await expect(replication.dr.reindex()).rejects.toMatchObject({ status: 400 })
    await ticked(secondary)
    await replication.dr.reindex({ force: true })
    for (let ticks = 0; ticks < 3; ticks++) await ticked(secondary)
    expect(await drRootOf(secondary)).toBe(await drRootOf(primary))
  })

  it.each(['r/', 'l/'])('heals what a check finds in records at %s', async (prefix) => {
    const storage = memoryStorage({ maxOps: 128 })
    const all = clusters()
    const primary = await all.make()
    for (let n = 0; n < 10; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
    await primary.tokens.createToken({ policies: ['default'] })
    await primary.replication.dr.enablePrimary()
    const secondary = await mirrorOf(primary, all, 'mirror', { storage })
    const stored = await storage.scan(prefix)
    const entry = stored.find(({ key }) => /\/s\/3$|token/.test(key))
    await write(storage, entry?.key ?? '', undefined)
    const { details } = await secondary.replication.dr.merkleCheck()
    expect(details).toEqual([{ key: entry?.key, fault: 'missing' }])
    for (let ticks = 0; ticks < 2; ticks++) await ticked(secondary)
    expect(await storage.scan(prefix)).toHaveLength(stored.length)
    expect((await secondary.replication.dr.merkleCheck()).details).toEqual([])
    expect(await drRootOf(secondary)).toBe(await drRootOf(primary))
  })
})
