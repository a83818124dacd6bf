import type { Clock } from '../core/base/clock.ts'
import type { Entropy } from '../core/base/entropy.ts'
import { readOptions } from '../core/base/options.ts'
import { type Change, OutcomeUnknown, type Storage } from '../core/storage/port.ts'
import { interceptedStorage } from './intercepted-storage.ts'

export interface ChaoticStorageOptions {
  /** The source of all random choices. With `seededEntropy`, you can repeat a failed run with the same choices. */
  readonly entropy: Entropy
  /**
   * The clock whose `sleep(0)` delays requests and answers. With a fake clock, `advance` then waits for the answers. Default: each delay is
   * a turn of the event loop.
   */
  readonly clock?: Pick<Clock, 'sleep'>
  /** The probability that a commit rejects with OutcomeUnknown, from 0 to 1. Default: 0.1. */
  readonly unknown?: number
  /**
   * The probability, from 0 to 1, that a commit is executed twice, and that a watcher receives a change twice. A commit that rejects with
   * OutcomeUnknown is never executed twice. Default: 0.1.
   */
  readonly twice?: number
}

/** The maximum delay of a request or an answer, in turns of the event loop. */
const MAX_TURNS = 4

/**
 * Wraps a storage so that it behaves like a storage behind an unreliable connection. It keeps the rules of the port: an answer that
 * arrives is never wrong. Requests and answers take a random number of turns of the event loop, so concurrent calls execute and finish in
 * any order. Some commits are executed twice. Some commits reject with {@link OutcomeUnknown}, whether or not they took effect. Watchers
 * receive changes late and sometimes twice, but in order. The returned storage has no `getSync`.
 */
export function chaoticStorage(inner: Storage, options: ChaoticStorageOptions): Storage {
  const {
    entropy,
    clock,
    unknown = 0.1,
    twice = 0.1,
  } = readOptions('chaoticStorage', options, { entropy: 1, clock: 1, unknown: 1, twice: 1 })
  /** All calls in progress, including second executions of commits. Only `close` waits for the second executions. */
  const underway = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const random = (): number => new DataView(entropy.bytes(4).buffer).getUint32(0) / 2 ** 32
  const turn = (): Promise<void> => clock?.sleep(0) ?? new Promise((resolve) => setImmediate(resolve))

  const travel = async (): Promise<void> => {
    for (let turns = Math.floor(random() * (MAX_TURNS + 1)); turns > 0; turns--) await turn()
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
      throw new OutcomeUnknown('the answer to this commit was lost')
    }
    // Ignore an error of the second execution: the caller gets the result of the first execution.
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
