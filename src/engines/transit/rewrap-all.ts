/** Rewraps everything an application has stored, however much that is: a loop around the batch operation. */
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

/**
 * One stored ciphertext, with the parameters that encrypted it. `reference`, such as the id of a row, is returned with the
 * result.
 */
export type RewrapItem = Omit<BatchItem, 'key_version'>

export interface RewrapAllArguments {
  /** The name of the key. */
  readonly name: string
  /** The wanted version for all items; 0, the default, is the latest at the time of each batch. */
  readonly key_version?: number
  /** Read on demand, never more than a batch ahead of the results you took. */
  readonly items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>
}

/** An item with a ciphertext to store in place of the old one. */
export interface RewrappedItem {
  /** `<prefix>:v<version>:<base64>` */
  readonly ciphertext: string
  /** The version of that ciphertext. */
  readonly key_version: number
  /**
   * The ciphertext is yours, which was under that version before: nothing to store. It was not opened, so its content is not
   * verified.
   */
  readonly unchanged: boolean
  /** Empty where the item has none. */
  readonly reference: string
  /** Undefined: the item succeeded. */
  readonly error?: undefined
}

/** The result of one item: a ciphertext, or the reason for a refusal. */
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

/** A batch is one request: one read of the key, one use of a token. */
const MOST_ITEMS = 256
/** Ciphertext, context and associated data of a batch, in characters and bytes. Memory holds this much and one item. */
const MOST_SIZE = 1 << 20

/** The parts that the loop works with. */
export interface RewrapAllParts {
  readonly rewrapBatch: RewrapBatch
  /** Yields to the event loop: a batch may be too short to do so itself. */
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

/** Groups items into batches worth a request. Ends at once when aborted, even while the source is silent. */
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
