/** Rewraps all ciphertexts that an application has stored, in batches. */

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
  /** The version to rewrap to; 0 (default) means the latest at the time of each batch. */
  readonly key_version?: number
  /** Read on demand. The loop reads at most `concurrency` batches ahead of the results that you have taken. */
  readonly items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>
}

/**
 * `done` is the number of items whose results you have taken. `total` is known if `items` is an array. The progress is plain data. Store it
 * as JSON with your rows. To resume an interrupted run, pass it as `after`.
 */
export interface RewrapProgress extends Progress {
  /** The number of items with a new ciphertext. With `dryRun`, the number of items that would get a new ciphertext. */
  readonly rewrapped: number
  /** The number of items that already had the requested version. */
  readonly unchanged: number
  /** The number of items that could not be rewrapped. */
  readonly failed: number
  /** The `reference` of the last item whose result you have taken; empty before the first one. */
  readonly reference: string
  /** The number of items by version so far. */
  readonly census: KeyCensus
}

export interface RewrapAllOptions extends LongWorkOptions<RewrapProgress> {
  /**
   * Reports what a run would do, without decrypting anything. Each item is returned with its own ciphertext and version, and with
   * `unchanged: false` if it would be rewrapped. On a view made by `as(token)`, this requires `update` on `inspect/<name>`.
   */
  readonly dryRun?: boolean
  /**
   * The number of batches that are processed concurrently, 1 to 16; default 1. A greater number is faster for managed keys and with worker
   * threads.
   */
  readonly concurrency?: number
  /**
   * Called and awaited whenever you have taken all results of a batch, and at the end. Use it to commit the rewrapped ciphertexts together
   * with the progress. If it throws, the work ends.
   */
  readonly checkpoint?: (progress: RewrapProgress) => Promise<void> | void
  /** The progress of an interrupted run, whose counts are continued. `items` must begin after the `reference` of that progress. */
  readonly after?: RewrapProgress
}

const MAX_CONCURRENCY = 16

/** The methods of the facade and the functions that the loop needs. */
export interface RewrapAllContext extends BatchMethods {
  /** Yields to the event loop, because processing a short batch does not yield. */
  readonly pause: () => Promise<void>
  /** Returns the time in milliseconds. */
  readonly now: () => number
}

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
  const report = async (complete: boolean): Promise<KeyCensus> => {
    const progress = { done, ...total, ...counts, reference, census: census.read(complete) }
    onProgress?.(progress)
    await checkpoint?.(progress)
    return progress.census
  }
  const countResult = ({ result, version }: BatchItemResult): RewrapAllResult => {
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
      yield countResult(one)
    }
    await report(false)
    await pause()
  }
  return report(true)
}

/** Inspects all items without changing anything. */
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
