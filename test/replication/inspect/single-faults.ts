/** Single faults in a store, one after the other: changed values and hashes, and restored, removed or added records. */
import { expect } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import { keySeal, memoryStorage } from '../../../src/index.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../fixtures/all-engines.ts'
import { faultOf, write } from './faults.ts'

/** Expects that a check finds each fault with its key, and no longer reports it after it was undone. */
export async function expectFound(faults: number): Promise<void> {
  const storage = memoryStorage({ maxOps: 128 })
  const seal = keySeal(new Uint8Array(32).fill(1))
  const { kernel, internals } = await composeKernel(
    { storage, seal, crypto: nodeCrypto(), initialize: true },
    ENGINES,
    SYSTEM,
    FRESH_MOUNTS,
  )
  for (let n = 0; n < 40; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await kernel.replication.enablePrimary()
  await kernel.tick()
  const before = new Map((await storage.scan('r/')).map(({ key, value }) => [key, value]))
  for (let n = 0; n < 10; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n: n + 100 } })
  for (let n = 10; n < 20; n++) await kernel.kv.deleteSecret({ path: `s/${n}` })
  await kernel.tick()
  expect((await kernel.replication.merkleCheck()).details).toEqual([])
  const whole = await storage.scan('')
  for (let nth = 0; nth < faults; nth++) {
    const { what, key, value } = await faultOf(nth, storage, internals, before)
    const stored = (await storage.get(key))?.value
    await write(storage, key, value)
    const { merkle_corruption_report: report, details } = await kernel.replication.merkleCheck()
    const tree = report.corrupted_tree_map['1']
    const isFound = tree?.corrupted_index_tuples_map !== null || tree.corrupted_subtree_root || report.corrupted_root
    expect(isFound, `${nth}: ${what} ${key}`).toBe(true)
    if (key.startsWith('r/'))
      expect(
        details?.map((fault) => fault.key),
        `${nth}: ${what}`,
      ).toEqual([key])
    await write(storage, key, stored)
    // A damaged tree is rebuilt.
    if (!key.startsWith('r/')) await kernel.tick()
    if (nth % 50 === 49) {
      expect((await kernel.replication.merkleCheck()).details).toEqual([])
      expect((await kernel.replication.readStatus()).corrupted_merkle_tree).toBe(false)
    }
  }
  expect((await storage.scan('r/')).length).toBe(whole.filter(({ key }) => key.startsWith('r/')).length)
  await kernel.close()
}
