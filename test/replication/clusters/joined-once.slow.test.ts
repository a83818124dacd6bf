/**
 * Joining deletes the records of a cluster, and a tick continues that. If both run concurrently, the later one must not delete records that
 * were copied in the meantime. It is held at each of its storage calls until the other one is done.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { PERFORMANCE } from '../../../src/sys/replication/state/replication-kind.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { runs } from '../../fixtures/runs.ts'
import { clusters, rootOf, tokenOf } from './cluster.ts'

/** The number of deleted secrets, enough for several commits. */
const HELD = 150
const SEAL = keySeal(new Uint8Array(32).fill(200))
/** Turns of the event loop without a call. After that many, the caller must be waiting for the other one. */
const IDLE_TURNS = 30

type Actor = 'enabling' | 'ticking'

/** A tick continues with other work, so limit the number of calls. */
const MAX_CALLS = runs({ quick: 30, soak: 1_000 })

const actor = new AsyncLocalStorage<Actor>()

interface Race {
  /** The one that is held. */
  readonly late: Actor
  /** Whether another kernel of the cluster ticks. */
  readonly byAnother: boolean
}

/** Counts the calls of both after the cluster has begun to become a secondary. */
class Track {
  readonly calls: Record<Actor, number> = { enabling: 0, ticking: 0 }
  hasBegun = false
  readonly #race: Race
  readonly #nth: number
  /** Set when the other one is done. */
  isOver = false

  constructor(race: Race, nth: number) {
    this.#race = race
    this.#nth = nth
  }

  get isHeld(): boolean {
    return this.calls[this.#race.late] >= this.#nth
  }

  over(inner: Storage): Storage {
    return interceptedStorage(inner, {
      around: async (_, work, ops) => {
        const who = actor.getStore()
        if (!who || !this.hasBegun) return this.#noting(ops, work)
        this.calls[who]++
        // The held one runs first, up to the call at which it is held.
        if (who !== this.#race.late) while (!this.isHeld && !this.isOver && !(await this.#isIdle())) await turn()
        else if (this.calls[who] === this.#nth) while (!this.isOver) await turn()
        return work()
      },
      aroundSync: (work) => work(),
      // The work of a kernel after a change notification belongs to neither of them.
      listener: (onChange) => (change) => actor.exit(() => onChange(change)),
      close: () => inner.close(),
    })
  }

  async #noting<T>(ops: readonly { readonly op: string }[] | undefined, work: () => Promise<T>): Promise<T> {
    const done = await work()
    if (ops?.some((op) => 'key' in op && op.key === PERFORMANCE.joining.key)) this.hasBegun = true
    return done
  }

  async #isIdle(): Promise<boolean> {
    const { late } = this.#race
    const before = this.calls[late]
    for (let turns = 0; turns < IDLE_TURNS; turns++) await turn()
    return this.calls[late] === before
  }
}

/** @returns Whether the held one made that many calls. */
async function race(which: Race, nth: number): Promise<boolean> {
  const { late, byAnother } = which
  const track = new Track(which, nth)
  const all = clusters()
  const primary = await all.make()
  const storage = track.over(memoryStorage({ maxOps: 128 }))
  const secondary = await all.make({ storage, seal: SEAL })
  for (let n = 0; n < HELD; n++) await secondary.kv.writeSecret({ path: `n/${n}`, data: { n } })
  const ticking = byAnother ? await all.make({ storage, seal: SEAL }) : secondary
  await primary.kv.writeSecret({ path: 'after', data: { is: 'there' } })
  await primary.replication.enablePrimary()
  const token = await tokenOf(primary, 'one')

  const enabled = actor.run('enabling', () => secondary.replication.enableSecondary({ token }))
  while (!track.hasBegun) await turn()
  const ticked = actor.run('ticking', () => ticking.tick())
  await (late === 'ticking' ? enabled : ticked)
  const { isHeld } = track
  track.isOver = true
  await Promise.all([enabled, ticked])

  await comeLevel(primary, [...new Set([secondary, ticking])])
  for (const kernel of new Set([secondary, ticking])) {
    expect((await kernel.replication.readStatus()).mode).toBe('secondary')
    expect((await kernel.kv.readSecret({ path: 'after' })).data).toEqual({ is: 'there' })
    await kernel.close()
  }
  await primary.close()
  return isHeld
}

/** Ticks until all kernels have the root of the primary. One of the kernels follows it. */
async function comeLevel(primary: Kernel, kernels: readonly Kernel[]): Promise<void> {
  const root = await rootOf(primary)
  for (let tries = 0; tries < 5; tries++) for (const kernel of kernels) await kernel.tick()
  for (const kernel of kernels) expect(await rootOf(kernel)).toBe(root)
}

describe.each<Race>([
  { late: 'ticking', byAnother: false },
  { late: 'ticking', byAnother: true },
  { late: 'enabling', byAnother: true },
])('enabling a secondary during a tick (delayed: $late, tick in another kernel: $byAnother)', (which) => {
  it('loses no record that the first sync has already copied', async () => {
    let nth = 1
    while (nth <= MAX_CALLS && (await race(which, nth))) nth++
    expect(nth).toBeGreaterThan(1)
  })
})
