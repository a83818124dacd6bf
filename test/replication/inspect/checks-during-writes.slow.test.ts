/** Checks and reindexes during writes: checks report no false alarm, and the next kernel on the store continues a reindex. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { runs } from '../../fixtures/runs.ts'
import { clusters, pair, rootOf } from '../clusters/cluster.ts'
import { ticked } from '../dr/pair.ts'
import { write } from './faults.ts'

const RUNS = runs({ quick: 8, soak: 10_000 })

/** Milliseconds between the writes of a lane. */
const PAUSE_MS = 2

interface Writing {
  /** The number of writes so far. */
  count: number
  stop(): Promise<void>
}

/** Writes until it is stopped. */
function writing(kernel: Kernel): Writing {
  let over = false
  const lane = async (name: string): Promise<void> => {
    for (let n = 0; !over; n++) {
      const path = `${name}/${n % 7}`
      if (n % 5 === 4) await kernel.kv.deleteSecret({ path })
      else await kernel.kv.writeSecret({ path, data: { n } })
      all.count++
      await sleep(PAUSE_MS)
    }
  }
  const all: Writing = {
    count: 0,
    async stop() {
      over = true
      await Promise.all(lanes)
    },
  }
  const lanes = ['a', 'b', 'c'].map(lane)
  return all
}

it(`${RUNS} Merkle checks during writes report no fault on the primary or the secondary`, async () => {
  const [primary, secondary] = await pair(clusters())
  for (let n = 0; n < 30; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
  const diverged: unknown[] = []
  for (const kernel of [primary, secondary]) kernel.events.on('replication.diverged', (event) => void diverged.push(event))
  const writes = writing(primary)
  for (let run = 0; run < RUNS; run++) {
    // Wait for a new write before each check.
    for (const { count } = writes; writes.count === count; ) await sleep(PAUSE_MS)
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
  await writes.stop()
  expect(diverged).toEqual([])
  await ticked(secondary)
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
})

it('a reindex during writes repairs a damaged Merkle tree, even if it is stopped and resumed', async () => {
  const storage = memoryStorage({ maxOps: 128 })
  const options = { storage, crypto: nodeCrypto(), seal: keySeal(new Uint8Array(32).fill(9)), initialize: true }
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
  const writes = writing(kernel)
  await kernel.tick()
  await kernel.replication.stopReindex()
  await expect(kernel.replication.stopReindex()).rejects.toMatchObject({ status: 400 })
  await kernel.tick()
  expect(await kernel.replication.readStatus()).not.toHaveProperty('reindex')
  await writes.stop()
  // A kernel that opens the store later continues the reindex.
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
  // A tree that is built from scratch has the same root.
  await again.replication.reindex({ force: true })
  for (let ticking = 0; (await again.replication.readStatus()).reindex && ticking < 20; ticking++) await again.tick()
  expect(await rootOf(again)).toBe(status.merkle_root)
  await again.close()
})
