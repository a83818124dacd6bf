/** The storage of one process of the simulation. The store is shared with other processes, and the storage fails when its process dies. */
import type { Clock } from '../../../src/core/base/clock.ts'
import { type Op, OutcomeUnknown, type Storage } from '../../../src/core/storage/port.ts'
import { crashingStorage } from '../../../src/testing/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'

/** Selects the commits that are counted. */
export type Which = (ops: readonly Op[]) => boolean

export interface MortalStorage extends Storage {
  /** The process dies at its n-th commit from now on, before or after the commit takes effect. */
  dieAt(nth: number, when: 'before' | 'after', which?: Which): void
  /** The answer to the n-th commit from now on is lost. */
  loseAnswer(nth: number): void
  /** The process pauses at its n-th commit from now on, until the promise resolves. */
  pauseAt(nth: number, over: () => Promise<void>, which?: Which): void
  readonly dead: boolean
}

export interface MortalOptions {
  readonly clock: Pick<Clock, 'sleep'>
  /** The turns of the event loop that a commit takes to arrive. */
  readonly turns: () => number
  /** Changes the ops of a commit on its way. */
  readonly passes?: (ops: readonly Op[]) => readonly Op[]
}

const ANY: Which = () => true

/** Selects the n-th of these commits. */
function counted(nth: number, which: Which): Which {
  let left = nth
  return (ops) => which(ops) && --left === 0
}

const NEVER: Which = () => false

export function mortalStorage(inner: Storage, { clock, turns, passes = (ops) => ops }: MortalOptions): MortalStorage {
  let dies = NEVER
  let when: 'before' | 'after' = 'before'
  let isLost = NEVER
  let pauses = NEVER
  let over = (): Promise<void> => Promise.resolve()
  let paused: Promise<void> | undefined

  const arriving: Storage = {
    ...inner,
    async commit(ops, id) {
      const lost = isLost(ops)
      const verdict = await inner.commit(passes(ops), id)
      if (lost) throw new OutcomeUnknown('the answer to this commit was lost')
      return verdict
    },
    // The storage below belongs to the site, which outlives its processes.
    close: async () => {},
  }
  const mortal = crashingStorage(arriving, { crashAt: (ops) => (dies(ops) ? when : undefined) })
  // If a process dies while its commit is in flight, the commit does not take effect.
  const storage = interceptedStorage(mortal, {
    async around(_, work, ops) {
      await paused
      if (ops) {
        if (pauses(ops)) paused = over()
        for (let left = turns(); left > 0; left--) await clock.sleep(0)
        await paused
      }
      return work()
    },
    aroundSync: (work) => work(),
    close: () => mortal.close(),
  })
  return {
    ...storage,
    dieAt(nth, how, which = ANY) {
      dies = counted(nth, which)
      when = how
    },
    loseAnswer(nth) {
      isLost = counted(nth, ANY)
    },
    pauseAt(nth, until, which = ANY) {
      pauses = counted(nth, which)
      over = until
    },
    get dead() {
      return mortal.crashed
    },
  }
}
