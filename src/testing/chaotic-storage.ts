/**
 * A store at the other end of a bad line.
 */
import type { Clock } from '../core/base/clock.ts'
import type { Entropy } from '../core/base/entropy.ts'
import { type Change, OutcomeUnknown, type Storage } from '../core/storage/port.ts'
import { interceptedStorage } from './intercepted-storage.ts'

export interface ChaoticStorageOptions {
  /** Decides everything: with `seededEntropy` a run that failed can be had again. */
  readonly entropy: Entropy
  /** Whose `sleep(0)` is used to give way; a fake clock then waits for the replies when it is advanced. Default: the event loop. */
  readonly clock?: Pick<Clock, 'sleep'>
  /** How often a commit is answered with OutcomeUnknown, and how often one is delivered twice: 0 to 1, default 0.1 each. */
  readonly unknown?: number
  readonly twice?: number
}

/** The most turns of the event loop that a message takes, each way. */
const MOST_TURNS = 4

/**
 * Everything the port allows a store to do and a quiet machine never does. Requests and replies take a random number of turns of
 * the event loop, so concurrent calls are carried out and finish in any order. A commit may arrive twice, or be answered with
 * {@link OutcomeUnknown} whether it took effect or not. Changes are told late, sometimes twice, but in order. There is no
 * `getSync`. What each reply says is true.
 */
export function chaoticStorage(inner: Storage, options: ChaoticStorageOptions): Storage {
  const { entropy, clock, unknown = 0.1, twice = 0.1 } = options
  /** All that is on its way, also second deliveries that nobody waits for but `close`. */
  const underway = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const random = (): number => new DataView(entropy.bytes(4).buffer).getUint32(0) / 2 ** 32
  const turn = (): Promise<void> => clock?.sleep(0) ?? new Promise((resolve) => setImmediate(resolve))

  const travel = async (): Promise<void> => {
    for (let turns = Math.floor(random() * (MOST_TURNS + 1)); turns > 0; turns--) await turn()
  }

  const deliver = async <T>(work: () => Promise<T>): Promise<T> => {
    await travel()
    try {
      return await work()
    } finally {
      await travel()
    }
  }

  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing) throw new TypeError('the storage is closed')
    const reply = deliver(work)
    underway.add(reply)
    try {
      return await reply
    } finally {
      underway.delete(reply)
    }
  }

  const commit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (random() < unknown) {
      const takesEffect = random() < 0.5
      await ask(async () => takesEffect && (await work()))
      throw new OutcomeUnknown('the reply to this commit was lost')
    }
    // A failure of the store fails both deliveries; the one that is waited for tells.
    if (random() < twice) ask(work).catch(() => undefined)
    return ask(work)
  }

  return interceptedStorage(inner, {
    around: (method, work) => (method === 'commit' ? commit(work) : ask(work)),
    listener(onChange) {
      let told: Promise<void> = Promise.resolve()
      const tell = async (change: Change): Promise<void> => {
        for (let times = random() < twice ? 2 : 1; times > 0; times--) {
          await travel()
          onChange(change)
        }
      }
      return (change) => {
        told = told.then(() => tell(change))
      }
    },
    async close() {
      closing ??= Promise.allSettled(underway).then(() => deliver(() => inner.close()))
      return closing
    },
  })
}
