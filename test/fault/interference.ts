/**
 * A kernel with a clock that runs an action at the k-th pause of long work.
 */
import { type Clock, createKernel, type Kernel, keySeal, memoryStorage, nobleCrypto, type Storage } from '../../src/index.ts'
import { copyOfRecords, recordsOf } from '../fixtures/copied-store.ts'
import { bytesOf } from '../property/support.ts'
import { type RecordingEntropy, recordingEntropy, type TrackedCrypto, trackedCrypto } from '../security/recording.ts'

/** Counts the pauses of the observed work and runs an action once, at a given pause. */
export interface ActingClock extends Clock {
  readonly pauses: number
  /** Restarts the count of pauses at 0 and sets the action. */
  watch(actAt: number, act: () => unknown): void
  /** Whether the action was started. */
  readonly acted: boolean
}

export function actingClock(): ActingClock {
  let pauses = 0
  let actAt = 0
  let act: (() => unknown) | undefined
  let acted = false
  return {
    now: () => Date.UTC(2026, 0, 1),
    get pauses() {
      return pauses
    },
    get acted() {
      return acted
    },
    watch(at, action) {
      pauses = 0
      acted = false
      actAt = at
      act = action
    },
    async sleep() {
      await new Promise((resolve) => setImmediate(resolve))
      pauses++
      if (!act || pauses < actAt) return
      const action = act
      act = undefined
      acted = true
      await action()
    },
  }
}

export const SEAL_KEY = bytesOf(32, 1234)

export interface Bench {
  readonly kernel: Kernel
  readonly clock: ActingClock
  readonly crypto: TrackedCrypto
  readonly entropy: RecordingEntropy
  readonly storage: Storage
}

let benches = 0

/** The key cache has room for one key version, so using any other key evicts it. */
/** @param backend Default: the noble libraries without the platform, because they compute here and therefore pause. */
export async function openBench(
  storage: Storage = memoryStorage(),
  backend = nobleCrypto({ accelerate: false }),
): Promise<Bench> {
  const clock = actingClock()
  const crypto = trackedCrypto(backend)
  const entropy = recordingEntropy(`interference ${benches++}`)
  const kernel = await createKernel({
    storage,
    clock,
    crypto,
    entropy,
    seal: keySeal(SEAL_KEY),
    initialize: true,
    cache: { keys: 1, records: 2 },
  })
  return { kernel, clock, crypto, entropy, storage }
}

/** A kernel on a copy of the store, which interference with the original does not affect. */
export async function witnessOf(storage: Storage): Promise<Kernel> {
  return createKernel({ storage: await copyOfRecords(await recordsOf(storage)), seal: keySeal(SEAL_KEY) })
}

export interface Interference {
  readonly name: string
  readonly act: (kernel: Kernel, name: string) => unknown
  /** Work that begins afterwards uses another key or key version with the same name. */
  readonly replaces?: true
}

const useOthers = async (kernel: Kernel): Promise<void> => {
  for (const name of ['other-1', 'other-2']) {
    const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: new Uint8Array(3) })
    await kernel.transit.decrypt({ name, ciphertext })
  }
}

/** Everything that can remove a key while work uses it. */
export const INTERFERENCES: readonly Interference[] = [
  { name: 'a seal', act: (kernel) => kernel.seal.seal() },
  {
    name: 'a seal and an unseal',
    act: async (kernel) => {
      await kernel.seal.seal()
      await kernel.seal.unseal()
    },
  },
  { name: 'the deletion of the key', act: (kernel, name) => kernel.transit.deleteKey({ name }) },
  {
    name: 'the deletion and recreation of the key',
    replaces: true,
    act: async (kernel, name) => {
      await kernel.transit.deleteKey({ name })
      await kernel.transit.createKey({ name })
    },
  },
  { name: 'the use of other keys', act: useOthers },
  { name: 'a rotation', replaces: true, act: (kernel, name) => kernel.transit.rotateKey({ name }) },
  // Closing waits for the work that it interrupts, so the action must not wait for it.
  { name: 'a close', act: (kernel) => void kernel.close() },
]
