/** Clusters whose stores are damaged by direct writes, and repaired by ticks. */
import { expect } from 'vitest'
import { type Kernel, keySeal, type MemoryStorage, memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { clusters, rootOf, tokenOf } from './cluster.ts'

const SECRETS = /^r\/[0-9a-f-]{36}\/[^/]+\/s\//

const clock = fakeClock(1_700_000_000_000)

/** The interval at which ticks inspect the store. */
const SCRUB_INTERVAL_MS = 10_000

export async function opened() {
  const all = clusters()
  const storages = [memoryStorage({ maxOps: 128 }), memoryStorage({ maxOps: 128 })] as const
  const [primary, secondary] = [await all.make({ storage: storages[0], clock }), await all.make({ storage: storages[1], clock })]
  for (let n = 0; n < 20; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  await secondary.tick()
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
  // Opens a kernel on a memory storage that another kernel of the secondary has closed.
  const open = (storage: MemoryStorage, seal = 2) => all.make({ storage, clock, seal: keySeal(new Uint8Array(32).fill(seal)) })
  return { primary, secondary, storages, open }
}

export const secretsIn = async (storage: MemoryStorage) => (await storage.scan('r/')).filter(({ key }) => SECRETS.test(key))

let commits = 0
export const write = (storage: MemoryStorage, key: string, value: Uint8Array | undefined) =>
  storage.commit([value ? { op: 'put', key, value } : { op: 'del', key }], `behind its back ${++commits}`)

/** Ticks kernels at a time when each of them inspects its store. */
export async function inspect(...kernels: readonly Kernel[]): Promise<void> {
  await clock.advance(SCRUB_INTERVAL_MS)
  for (const kernel of kernels) await kernel.tick()
}

/** The number of rounds after which every record has been examined. */
const ALL_ROUNDS = 12

/** The number of rounds after a repair in which a remaining fault would be reported again. */
const MORE_ROUNDS = 4

/** Ticks until a fault was reported and repaired, or all records have been examined. @returns The number of reports. */
export async function heal(primary: Kernel, secondary: Kernel): Promise<number> {
  let reports = 0
  for (const kernel of [primary, secondary]) kernel.events.on('replication.diverged', () => void reports++)
  for (let round = 0, left = ALL_ROUNDS; round < left; round++) {
    await inspect(primary, secondary)
    if (left === ALL_ROUNDS && reports > 0 && (await areWell(primary, secondary))) left = Math.min(left, round + 1 + MORE_ROUNDS)
  }
  await new Promise((resolve) => setImmediate(resolve))
  return reports
}

async function areWell(...kernels: readonly Kernel[]): Promise<boolean> {
  const all = await Promise.all(kernels.map((kernel) => kernel.replication.readStatus()))
  return all.every(
    ({ merkle_root: root, corrupted_merkle_tree: isCorrupted, last_error: error }) =>
      root === all[0]?.merkle_root && !isCorrupted && error === undefined,
  )
}
