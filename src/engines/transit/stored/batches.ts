/** Groups items into batches, and processes several batches concurrently. */
import { takeUntil } from '../../../core/base/take-until.ts'
import type { RewrapItem } from './items.ts'

/**
 * The maximum number of items in a batch. A batch is one request, which reads the key once and counts as one use of a token, so batches should
 * be large.
 */
const MAX_BATCH_ITEMS = 256
/**
 * The size at which a batch ends: the characters of its ciphertexts plus the bytes of its contexts and associated data. The item that reaches
 * the limit is still part of the batch.
 */
const MAX_BATCH_SIZE = 1 << 20

/** Groups items into batches. Ends immediately when `signal` is aborted, even if the source never yields. */
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

/** Yields the results of `work` in the order of `source`, with at most `most` calls running. */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T>,
  most: number,
  work: (taken: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  try {
    for await (const taken of source) {
      const one = work(taken)
      // The result is awaited below. This handler prevents an unhandled rejection until then.
      one.catch(() => {})
      running.push(one)
      if (running.length === most) yield await (running.shift() as Promise<R>)
    }
    for (let next = running.shift(); next; next = running.shift()) yield await next
  } finally {
    await Promise.allSettled(running)
  }
}
