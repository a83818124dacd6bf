/**
 * Runs batches: all items are admitted in the transaction, and each item is completed individually after the commit.
 */
import { KernelError } from '../base/errors.ts'
import { type Slices, weigh } from '../base/slices.ts'
import { isSteps, type Steps } from '../base/steps.ts'
import { offloadTaskOf } from '../contract/offload-task.ts'
import type { AnyBatch, Items } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { Work } from '../contract/tx.ts'
import type { Fields } from '../field/field.ts'
import type { Values } from '../field/parse.ts'
import { OffloadedItems } from './offloaded-items.ts'

/** Estimated cost of admitting one item: looking up its key, checking its versions, decoding a ciphertext. */
const ADMIT_MICROSECONDS = 3

/**
 * The items of a batch. `all` has each decoded item, or the error that refuses the item; `raw` has each item as the request contained it.
 */
export interface BatchItems {
  readonly all: readonly (Values | Error)[]
  readonly raw: readonly Values[]
}

export const hasValue = (values: Values | undefined, member: string): boolean => {
  const value = values?.[member]
  return typeof value === 'string' || value instanceof Uint8Array ? value.length > 0 : value !== undefined && value !== null
}

/**
 * The item of a call that is not a batch. On the hot path, all calls share one `OneItem` object, so an operation's `open` function must not
 * keep a reference to it.
 */
export class OneItem implements Items<Fields> {
  readonly batch = false
  #item: Values = {}

  of(item: Values): this {
    this.#item = item
    return this
  }

  get all(): readonly [Values] {
    return [this.#item]
  }

  gives(_index: number, member: string): boolean {
    return hasValue(this.#item, member)
  }
}

/**
 * Admits every item. If an item signals a missing record, the other items are still admitted, so that all missing records are loaded
 * together. Then the function throws the signal, which ends the run.
 */
export async function admitAll(
  op: AnyBatch,
  state: unknown,
  all: readonly (Values | Error)[],
  slices: Slices,
): Promise<(Work<Values> | Error)[]> {
  const admitted: (Work<Values> | Error)[] = []
  let signal: unknown
  for (const item of all) {
    try {
      admitted.push(item instanceof Error ? item : (op.admit(state, item) as Work<Values>))
    } catch (thrown) {
      if (isSignal(thrown)) signal = thrown
      else if (isItemError(thrown)) admitted.push(thrown)
      else throw thrown
    }
    if (slices.spend(ADMIT_MICROSECONDS)) await slices.giveWay()
  }
  if (signal) throw signal
  return admitted
}

/**
 * The maximum number of items whose asynchronous cryptography runs concurrently: enough to use all threads of the platform's thread pool.
 */
const MAX_WAITING_ITEMS = 16

/** An item whose generator was started and has yielded a promise, for example of asynchronous cryptography. */
interface WaitingItem {
  readonly index: number
  readonly steps: Steps<Values>
  readonly begun: IteratorResult<void | Promise<void>, Values>
}

/**
 * Runs the items after admission. Items that wait for a promise wait concurrently. Items that compute on the event loop run one at a time,
 * and the event loop does other work in between. Items for worker threads are sent in messages of many items.
 * @param raw The items in the request; their size determines the estimated cost.
 */
export async function settleAll(
  admitted: readonly (Work<Values> | Error)[],
  raw: readonly Values[],
  cost: number,
  slices: Slices,
): Promise<(Values | Error)[]> {
  const results: (Values | Error)[] = []
  const waiting: WaitingItem[] = []
  const weight = (index: number): number => cost + weigh(raw[index] as Values)
  const settle = async ({ index, steps, begun }: WaitingItem): Promise<void> => {
    try {
      results[index] = await slices.drive(steps, begun)
    } catch (thrown) {
      results[index] = itemError(thrown)
    }
  }
  const begin = async (index: number, steps: Steps<Values>): Promise<void> => {
    const begun = resultOrError(() => steps.next())
    if (begun instanceof Error) results[index] = begun
    else if (begun.done || !begun.value) await settle({ index, steps, begun })
    else if (waiting.push({ index, steps, begun }) === MAX_WAITING_ITEMS) await settle(waiting.shift() as WaitingItem)
    if (slices.spend(weight(index))) await slices.giveWay()
  }
  const runHere = (index: number, work: Work<Values> | Error): Promise<void> | undefined => {
    const outcome = work instanceof Error ? work : resultOrError(work)
    if (isSteps(outcome)) return begin(index, outcome)
    results[index] = outcome
    return slices.spend(weight(index)) ? slices.giveWay() : undefined
  }
  const offloaded = new OffloadedItems<Values>(slices, runHere, (index, use) => {
    results[index] = resultOrError(use)
  })
  try {
    for (let index = 0; index < admitted.length; index++) {
      const work = admitted[index] as Work<Values> | Error
      const task = work instanceof Error ? undefined : offloadTaskOf(work)
      const done = task ? offloaded.add(index, task, weight(index)) : runHere(index, work)
      if (done) await done
    }
    await offloaded.end()
    for (let oldest = waiting.shift(); oldest; oldest = waiting.shift()) await settle(oldest)
    return results
  } finally {
    // Call `return` on the generators of unfinished items, so that their `finally` blocks wipe keys.
    for (const { steps } of waiting) steps.return({})
  }
}

function resultOrError<T>(work: () => T): T | KernelError {
  try {
    return work()
  } catch (thrown) {
    return itemError(thrown)
  }
}

function itemError(thrown: unknown): KernelError {
  if (!isItemError(thrown)) throw thrown
  return thrown
}

/** Whether the error concerns only this item. Any other error is a failure of the storage or the kernel, and fails the whole request. */
const isItemError = (thrown: unknown): thrown is KernelError => thrown instanceof KernelError && thrown.status < 500
