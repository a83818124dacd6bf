/**
 * Runs the calls that change an attempt one at a time, and repeats a call whose commit conflicted.
 */
import { KernelError } from '../../base/errors.ts'
import type { Store } from '../../transaction/store.ts'

/** Runs calls one at a time. The calls change the memory of this process, so each call begins only after the previous call has ended. */
export class SerialExecutor {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    // Ignore the error here: the caller of `run` gets it from `result`.
    this.#last = result.catch(() => {})
    return result
  }
}

const MAX_TRIES = 50

/**
 * Runs `step` again as long as it returns undefined or false, which reports that its commit conflicted.
 * @throws KernelError 503 after 50 tries.
 */
export async function retryOnConflict<T>(store: Store, step: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const result = await step()
    if (result !== undefined && result !== false) return result
    await store.backOff(Math.min(tries, 6))
  }
  throw new KernelError('ERR_UNAVAILABLE', 'the keys of the store keep changing; nothing was changed by this call')
}
