/** Items in batches worth a request each, and work on several batches at a time. */
import { takeUntil } from '../../../core/base/take-until.ts'
import type { RewrapItem } from './items.ts'

/** A batch is one request: one read of the key, one use of a token. */
const MAX_BATCH_ITEMS = 256
/** Ciphertext, context and associated data of a batch, in characters and bytes. Memory holds this much and one item. */
const MAX_BATCH_SIZE = 1 << 20

/** Ends at once when aborted, even while the source is silent. */
export async function* batchesOf(
  items: Iterable<RewrapItem> | AsyncIterable<RewrapItem>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly RewrapItem[], void, undefined> {
  let batch: RewrapItem[] = []
  let size = 0
  for await (const item of takeUntil(items, signal)) {
    if (typeof item !== 'object' || item === null) throw new TypeError('items: every item must be an object')
    batch.push(item)
    size += sizeOf(item.ciphertext) + sizeOf(item.context) + sizeOf(item.associated_data)
    if (batch.length < MAX_BATCH_ITEMS && size < MAX_BATCH_SIZE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

const sizeOf = (value: string | Uint8Array | undefined): number => value?.length ?? 0

/** The results of `work` in the order of `source`, with at most `most` of it under way. */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T>,
  most: number,
  work: (taken: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  try {
    for await (const taken of source) {
      const one = work(taken)
      // It is awaited in its turn.
      one.catch(() => {})
      running.push(one)
      if (running.length === most) yield await (running.shift() as Promise<R>)
    }
    for (let next = running.shift(); next; next = running.shift()) yield await next
  } finally {
    await Promise.allSettled(running)
  }
}
