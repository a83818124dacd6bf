/** Rewraps everything an application has stored, however much that is: a loop around the batch operation. */

import { rfc3339 } from '../../../core/base/clock.ts'
import { type OptionNames, readOptions } from '../../../core/base/options.ts'
import type { LongWorkOptions, Progress } from '../../../core/base/progress.ts'
import { type BatchItemResult, type BatchMethods, inspectItems, rewrapItems } from './batch-work.ts'
import { batchesOf, mapInOrder } from './batches.ts'
import { Census, type KeyCensus } from './census.ts'
import type { RewrapAllResult, RewrapItem } from './items.ts'

export interface RewrapAllArguments {
  /** The name of the key. */
  readonly name: string
  /** The wanted version for all items; 0, the default, is the latest at the time of each batch. */
  readonly key_version?: number
  /** Read on demand, never more than `concurrency` batches ahead of the results you took. */
  readonly items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>
}

/**
 * `done` counts items whose results you took. `total` is known where `items` is an array. Plain data: as JSON beside your rows it is a
 * checkpoint, from which `after` goes on.
 */
export interface RewrapProgress extends Progress {
  /** Items with a new ciphertext. With `dryRun` those that would get one. */
  readonly rewrapped: number
  /** Items that were under the wanted version already. */
  readonly unchanged: number
  /** Items that were refused. */
  readonly failed: number
  /** The `reference` of the last item whose result you took; empty before the first. */
  readonly reference: string
  /** The versions that the items so far are under. */
  readonly census: KeyCensus
}

export interface RewrapAllOptions extends LongWorkOptions<RewrapProgress> {
  /**
   * Nothing is opened and nothing made: an item comes back with its own ciphertext and the version of that, `unchanged: false` where it
   * would be rewrapped. With `as(token)` it needs `update` on `inspect/<name>`.
   */
  readonly dryRun?: boolean
  /** Batches under way at a time, 1 to 16; default 1. More of them is faster where keys are kept elsewhere or workers do the work. */
  readonly concurrency?: number
  /**
   * Awaited whenever you have taken all results of a batch, and at the end: the place to commit what you have stored, and the progress
   * with it. An error ends the work.
   */
  readonly checkpoint?: (progress: RewrapProgress) => Promise<void> | void
  /** Goes on with the counts of an interrupted run. `items` must begin behind its `reference`. */
  readonly after?: RewrapProgress
}

const MAX_CONCURRENCY = 16

/** The parts that the loop works with. */
export interface RewrapAllContext extends BatchMethods {
  /** Yields to the event loop: a batch may be too short to do so itself. */
  readonly pause: () => Promise<void>
  /** Milliseconds. */
  readonly now: () => number
}

/** @returns The census of all items. */
const OPTION_NAMES: OptionNames<RewrapAllOptions> = {
  signal: 1,
  onProgress: 1,
  checkpoint: 1,
  after: 1,
  dryRun: 1,
  concurrency: 1,
}

export async function* rewrapAll(
  { pause, now, ...methods }: RewrapAllContext,
  { items, ...args }: RewrapAllArguments,
  given: RewrapAllOptions,
): AsyncGenerator<RewrapAllResult, KeyCensus, undefined> {
  const { signal, onProgress, checkpoint, after, dryRun = false, concurrency = 1 } = readOptions('rewrapAll', given, OPTION_NAMES)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
    throw new TypeError(`concurrency: must be a whole number from 1 to ${MAX_CONCURRENCY}`)
  const options = signal ? { signal } : {}
  const counts = { rewrapped: after?.rewrapped ?? 0, unchanged: after?.unchanged ?? 0, failed: after?.failed ?? 0 }
  const census = new Census(rfc3339(now()), after?.census)
  let done = after?.done ?? 0
  const total = Array.isArray(items) ? { total: done + items.length } : {}
  let reference = after?.reference ?? ''
  const tell = async (complete: boolean): Promise<KeyCensus> => {
    const progress = { done, ...total, ...counts, reference, census: census.read(complete) }
    onProgress?.(progress)
    await checkpoint?.(progress)
    return progress.census
  }
  const take = ({ result, version }: BatchItemResult): RewrapAllResult => {
    done++
    reference = result.reference
    census.count(version)
    counts[result.error ? 'failed' : result.unchanged ? 'unchanged' : 'rewrapped']++
    return result
  }
  const work = dryRun ? inspectItems : rewrapItems
  const batches = mapInOrder(batchesOf(items, signal), concurrency, (batch) => work(methods, args, batch, options))
  for await (const results of batches) {
    for (const one of results) {
      signal?.throwIfAborted()
      yield take(one)
    }
    await tell(false)
    await pause()
  }
  return tell(true)
}

/** Looks at all items, and changes nothing. */
export async function takeCensus(
  parts: RewrapAllContext,
  args: Omit<RewrapAllArguments, 'key_version'>,
  options: LongWorkOptions<RewrapProgress>,
): Promise<KeyCensus> {
  const walk = rewrapAll(parts, args, { ...readOptions('census', options, { signal: 1, onProgress: 1 }), dryRun: true })
  for (;;) {
    const { done, value } = await walk.next()
    if (done) return value
  }
}
