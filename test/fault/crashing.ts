/** A process dies at its n-th commit, and the next one must find a consistent store. Each tier tries its own number of n. */
import { expect } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { Crashed, crashingStorage, type FakeClock, fakeClock, seededEntropy } from '../../src/testing/index.ts'
import { SETUP, type Step, snapshot, TAKEOVER, WORK, type World } from './workload.ts'

const KEY = seededEntropy('crash').bytes(32)
let seeds = 0

export const openOn = (storage: Storage, clock: FakeClock): Promise<Kernel> =>
  createKernel({ storage, clock, seal: keySeal(KEY), initialize: true, entropy: seededEntropy(`crash ${seeds++}`) })

/** A new store with the same entries. */
async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage({ maxOps: 1000 })
  for (const { key, value } of await storage.scan('')) await copy.commit([{ op: 'put', key, value }], key)
  return copy
}

export interface Reference {
  /** The store before the work, and the ciphertexts that were made until then. */
  readonly start: Storage
  readonly made: World['made']
  /** The visible state after each step. The first one is the state before any step. */
  readonly states: readonly Readonly<Record<string, unknown>>[]
  readonly commits: number
}

export let reference: Reference

export async function makeReference(): Promise<void> {
  const start = memoryStorage({ maxOps: 128 })
  const clock = fakeClock()
  const kernel = await openOn(start, clock)
  const made: World['made'] = []
  for (const step of SETUP) await step.run({ kernel, clock, made, doomed: new Set() })
  await kernel.close()

  const storage = crashingStorage(await copyOf(start))
  const worker = await openOn(storage, clock)
  const world: World = { kernel: worker, clock, made: [...made], doomed: new Set() }
  const states = [await snapshot(worker)]
  for (const step of WORK) {
    await step.run(world)
    states.push(await snapshot(worker))
  }
  reference = { start, made, states, commits: storage.commits }
  await worker.close()
}

/** Runs the steps until the storage crashes. @returns The index of the interrupted step. */
async function workUntilCrash(world: World, steps: readonly Step[]): Promise<number> {
  for (const [index, step] of steps.entries()) {
    const [outcome] = await Promise.allSettled([step.run(world)])
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({ name: 'KernelError', status: 503, cause: expect.any(Crashed) })
      return index
    }
  }
  return steps.length
}

/** Ticks until nothing is due, and lets the claims of the dead process expire. */
async function tickUntilDone({ kernel, clock }: World): Promise<void> {
  for (let round = 0; round < 12; round++) {
    const { done, failed, more } = await kernel.tick()
    expect(failed).toEqual([])
    if (more) await clock.advance(TAKEOVER)
    else if (done === 0) return
  }
  throw new Error('there is always something due')
}

async function openAll({ kernel, made, doomed }: World): Promise<void> {
  for (const { name, ciphertext, plaintext } of made) {
    if (doomed.has(name)) continue
    expect((await kernel.transit.decrypt({ name, ciphertext })).plaintext).toEqual(plaintext)
  }
}

/** Every existing key version has key material, no other version does, and every due record belongs to a key. */
async function checkLeftovers(storage: Storage, kernel: Kernel): Promise<void> {
  let versions = 0
  const { keys: names } = await kernel.transit.listKeys({})
  for (const name of names) {
    const { latest_version, min_available_version } = await kernel.transit.readKey({ name })
    versions += latest_version - Math.max(1, min_available_version) + 1
  }
  const keys = (await storage.scan('')).map(({ key }) => key)
  expect(keys.filter((key) => key.split('/')[2] === 'material').length).toBe(versions)
  const due = keys.filter((key) => key.split('/')[1] === 'due')
  expect(due.filter((key) => key.split('/')[2] === 'housekeeping')).toEqual([])
  const rotating: string[] = []
  for (const name of names) if ((await kernel.transit.readKey({ name })).auto_rotate_period > 0) rotating.push(name)
  expect(due.map((key) => key.split('/').at(-1)).sort()).toEqual(rotating.sort())
}

async function crashAndRecover(crashAt: number, when: 'before' | 'after'): Promise<void> {
  const inner = await copyOf(reference.start)
  const clock = fakeClock()
  const storage = crashingStorage(inner, { crashAt, when })
  const first = await openOn(storage, clock)
  const world: World = { kernel: first, clock, made: [...reference.made], doomed: new Set() }
  const at = await workUntilCrash(world, WORK)
  expect(storage.crashed).toBe(true)

  const kernel = await openOn(inner, clock)
  const next: World = { ...world, kernel }
  const [before, after] = [reference.states[at]!, reference.states[at + 1]!]
  const found = await snapshot(kernel)
  const step = WORK[at]!
  if (step.name === 'tick') {
    // A tick does each item separately, so any of them may be done or not done.
    for (const name of Object.keys(before)) expect([before[name], after[name]]).toContainEqual(found[name])
  } else expect([before, after]).toContainEqual(found)
  if (when === 'after' && step.name !== 'tick') expect(found).toEqual(after)
  await openAll(next)

  await tickUntilDone(next)
  const isDone = step.name === 'tick' || when === 'after'
  if (isDone) expect(await snapshot(kernel)).toEqual(after)
  for (const rest of WORK.slice(isDone ? at + 1 : at)) {
    await rest.run(next)
    await tickUntilDone(next)
  }
  expect(await snapshot(kernel)).toEqual(reference.states.at(-1))
  await openAll(next)
  await checkLeftovers(inner, kernel)
  await kernel.close()
}

/** Crashes at every `stride`th commit: with `after`, at the commits between those of `before`. A stride of 1 tries every commit. */
export async function crashAtEach(when: 'before' | 'after', stride: number): Promise<void> {
  const from = stride === 1 || when === 'before' ? 1 : 1 + Math.floor(stride / 2)
  for (let crashAt = from; crashAt <= reference.commits; crashAt += stride) {
    await crashAndRecover(crashAt, when).catch((error: unknown) => {
      throw new Error(`crash ${when} commit ${crashAt} of ${reference.commits}`, { cause: error })
    })
  }
}
