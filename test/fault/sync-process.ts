/** A process with secret sync. The external store outlives it. */
import { createKernel, type Kernel, keySeal, nobleCrypto, type Storage } from '../../src/index.ts'
import type { FakeClock } from '../../src/testing/index.ts'
import type { RunningStore, StoreUnderTest } from './sync-stores.ts'

const SEAL = keySeal(new Uint8Array(32).fill(7))
/** Without the platform's cryptography, which takes real time that the fake clock does not measure. */
const CRYPTO = nobleCrypto({ accelerate: false })

export const openProcess = (storage: Storage, clock: FakeClock, { type }: StoreUnderTest, store: RunningStore): Promise<Kernel> =>
  createKernel({ storage, clock, seal: SEAL, crypto: CRYPTO, initialize: true, ports: { sync: { [type]: store.destination } } })

/** Advances the clock while the work waits for it. */
export type Drive = <T>(clock: FakeClock, work: Promise<T>, most?: number) => Promise<T | 'never'>

/** For a destination in memory, which takes no real time: advances the clock after a few turns of the event loop. */
export const drive: Drive = async (clock, work, most = 300_000) => {
  let over = false
  const ended = work.finally(() => {
    over = true
  })
  ended.catch(() => {})
  for (let turn = 0; turn < 30 && !over; turn++) await new Promise((resolve) => setImmediate(resolve))
  for (let passed = 0; passed < most && !over; passed += 1000) {
    await clock.advance(1000)
    for (let turn = 0; turn < 5 && !over; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return over ? ended : 'never'
}

/** Turns of the event loop, 1 ms each, without a call. After that many, the work must be waiting for the clock. */
const IDLE_TURNS = 12

/** For a server in this process, whose calls take real time: advances the clock only while no call is in flight. */
export const driveServer =
  (calls: () => number): Drive =>
  async (clock, work, most = 300_000) => {
    let over = false
    const ended = work.finally(() => {
      over = true
    })
    ended.catch(() => {})
    let seen = -1
    let passed = 0
    for (let idle = 0; !over && passed < most; idle++) {
      if (calls() !== seen) idle = 0
      seen = calls()
      const step = idle > IDLE_TURNS ? 1000 : 0
      await clock.advance(step)
      passed += step
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return over ? ended : 'never'
  }

/** Ticks until retries are done and the claims and intents of dead processes have expired. */
export async function calmDown(kernel: Kernel, clock: FakeClock, driven: Drive = drive): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await clock.advance(round < 4 ? 35_000 : 301_000)
    for (let tick = 0; tick < 20; tick++) {
      const result = await driven(clock, kernel.tick())
      if (result === 'never' || (result.done === 0 && !result.more)) break
    }
  }
}
