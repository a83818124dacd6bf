/**
 * Rewraps everything an application has stored, however much that is: a loop around the batch operation, and nothing that this would not
 * do.
 */
import type { LongWorkOptions, Progress } from '../../core/base/progress.ts'
import { takeUntil } from '../../core/base/take-until.ts'
import type { CallOptions, ItemReply, RefusedItem } from '../../core/contract/api.ts'
import type { RewrapItem as BatchItem, RewrapBatchArguments } from './api-arguments.ts'
import type { RewrapResult } from './api-results.ts'

type Rewrapped = ItemReply<RewrapResult>
type RewrapBatch = (
  args: RewrapBatchArguments,
  options?: CallOptions,
) => Promise<{ readonly batch_results: readonly Rewrapped[] }>

/** One stored ciphertext, with what was given to encrypt it. `reference` comes back with the result, such as the id of a row. */
export type RewrapItem = Omit<BatchItem, 'key_version'>

export interface RewrapAllArguments {
  /** The name of the key. */
  readonly name: string
  /** The version that everything is to be under; 0, the default, is the latest at the time of each batch. */
  readonly key_version?: number
  /** Taken as they are needed, and never more than a batch ahead of what you took from the results. */
  readonly items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>
}

/** An item with a ciphertext to store in place of the old one. */
export interface RewrappedItem {
  /** `<prefix>:v<version>:<base64>` */
  readonly ciphertext: string
  /** The version that it is under. */
  readonly key_version: number
  /** It was under that version before, and is what you gave: nothing to store. It was not opened, so nothing is said of what is in it. */
  readonly unchanged: boolean
  /** Empty where the item had none. */
  readonly reference: string
  /** Undefined: the item was done. */
  readonly error?: undefined
}

/** What became of one item: a ciphertext, or why there is none. */
export type RewrapAllResult = RewrappedItem | RefusedItem

/** `done` counts items whose results you took. `total` is known where `items` is an array. */
export interface RewrapProgress extends Progress {
  /** Items with a new ciphertext. */
  readonly rewrapped: number
  /** Items that were under the wanted version already. */
  readonly unchanged: number
  /** Items that were refused. */
  readonly failed: number
}

/** A batch is one request: one look at the key, one use of a token. */
const MOST_ITEMS = 256
/** Of ciphertext, context and associated data, in characters and bytes: so much lies in memory at a time, and one item. */
const MOST_SIZE = 1 << 20

/** What the work rests on. */
export interface RewrapAllParts {
  readonly rewrapBatch: RewrapBatch
  /** Gives way to the event loop: a batch may be too short to do so itself. */
  readonly pause: () => Promise<void>
}

export async function* rewrapAll(
  { rewrapBatch, pause }: RewrapAllParts,
  { name, key_version = 0, items, ...unknown }: RewrapAllArguments,
  { signal, onProgress }: LongWorkOptions<RewrapProgress>,
): AsyncGenerator<RewrapAllResult, void, undefined> {
  const options = signal ? { signal } : {}
  const counts = { rewrapped: 0, unchanged: 0, failed: 0 }
  const total = Array.isArray(items) ? { total: items.length } : {}
  let done = 0
  for await (const batch of batchesOf(items, signal)) {
    const batch_input = batch.map((item) => ({ ...item, key_version }))
    const { batch_results } = await rewrapBatch({ ...unknown, name, keep_current: true, batch_input }, options)
    for (const [index, result] of batch_results.entries()) {
      signal?.throwIfAborted()
      done++
      if (result.error) {
        counts.failed++
        yield result
        continue
      }
      const { ciphertext, reference } = result
      const unchanged = ciphertext === batch[index]?.ciphertext
      counts[unchanged ? 'unchanged' : 'rewrapped']++
      yield { ciphertext, key_version: result.key_version, unchanged, reference }
    }
    onProgress?.({ done, ...total, ...counts })
    await pause()
  }
}

/** Batches of the size that is worth a request. Ends at once when aborted, also where the source never answers. */
async function* batchesOf(
  items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly RewrapItem[], void, undefined> {
  let batch: RewrapItem[] = []
  let size = 0
  for await (const item of takeUntil(items, signal)) {
    if (typeof item !== 'object' || item === null) throw new TypeError('items: every item must be an object')
    batch.push(item)
    size += sizeOf(item.ciphertext) + sizeOf(item.context) + sizeOf(item.associated_data)
    if (batch.length < MOST_ITEMS && size < MOST_SIZE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

const sizeOf = (value: string | Uint8Array | undefined): number => value?.length ?? 0
