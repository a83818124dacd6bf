/** A process with secret sync on a store that outlives it. */
import { createKernel, type Kernel, keySeal, type Storage } from '../../src/index.ts'
import type { FakeClock } from '../../src/testing/index.ts'
import type { RunningStore, StoreUnderTest } from './sync-stores.ts'

const SEAL = keySeal(new Uint8Array(32).fill(7))

export const openProcess = (storage: Storage, clock: FakeClock, { type }: StoreUnderTest, store: RunningStore): Promise<Kernel> =>
  createKernel({ storage, clock, seal: SEAL, initialize: true, ports: { sync: { [type]: store.destination } } })

/** Waits for work that waits for the clock: real time for what is real, and then that of the clock. */
export async function drive<T>(clock: FakeClock, work: Promise<T>, most = 300_000): Promise<T | 'never'> {
  let over = false
  const ended = work.finally(() => {
    over = true
  })
  ended.catch(() => {})
  for (let turn = 0; turn < 30 && !over; turn++) await new Promise((resolve) => setTimeout(resolve, turn < 20 ? 0 : 2))
  for (let passed = 0; passed < most && !over; passed += 1000) {
    await clock.advance(1000)
    for (let turn = 0; turn < 5 && !over; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return over ? ended : 'never'
}

/** Ticks until retries, claims and intents of the dead have had their time. */
export async function calmDown(kernel: Kernel, clock: FakeClock): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await clock.advance(round < 4 ? 35_000 : 301_000)
    for (let tick = 0; tick < 20; tick++) {
      const result = await drive(clock, kernel.tick())
      if (result === 'never' || (result.done === 0 && !result.more)) break
    }
  }
}
