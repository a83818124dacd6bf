/**
 * Reads a whole store in pages of about a mebibyte.
 */
import type { Clock } from '../base/clock.ts'
import type { Entry, Storage } from './port.ts'

const MAX_PAGE_RECORDS = 512
/**
 * The intended size of all values in a page. The number of records in a page is chosen for this size, based on the average value in the
 * previous page.
 */
const PAGE_BYTES = 1024 * 1024

export interface KeyPage {
  /** The entries in byte order of their keys. */
  readonly entries: readonly Entry[]
  /** The last key that this page covers: it contains all records after the previous page up to this key. Undefined for the last page. */
  readonly last: string | undefined
}

export const valueBytes = (entries: readonly Entry[]): number => entries.reduce((bytes, { value }) => bytes + value.length, 0)

/** Yields to the event loop before each page. @throws the reason of an aborted `signal`. */
export async function* pagesOf(
  storage: Pick<Storage, 'scan'>,
  clock: Pick<Clock, 'sleep'>,
  signal?: AbortSignal,
): AsyncGenerator<KeyPage> {
  let limit = 64
  for (let after: string | undefined; ; ) {
    await clock.sleep(0, signal)
    const entries = await storage.scan('', after === undefined ? { limit } : { after, limit })
    after = entries.length < limit ? undefined : entries.at(-1)!.key
    yield { entries, last: after }
    if (after === undefined) return
    limit = Math.max(1, Math.min(MAX_PAGE_RECORDS, Math.floor((PAGE_BYTES * entries.length) / (valueBytes(entries) + 1))))
  }
}
