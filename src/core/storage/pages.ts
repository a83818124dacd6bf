/**
 * A whole store, read piece by piece: as many records at a time as make about a megabyte.
 */
import type { Clock } from '../base/clock.ts'
import type { Entry, Storage } from './port.ts'

const MOST_RECORDS = 512
/** Of values of the size of those before, a page holds about so much. */
const PAGE_BYTES = 1024 * 1024

export interface KeyPage {
  /** In byte order. */
  readonly entries: readonly Entry[]
  /** The page holds all keys behind `after`, up to and with this one; undefined: up to the end. */
  readonly last: string | undefined
}

export const sizeOf = (entries: readonly Entry[]): number => entries.reduce((bytes, { value }) => bytes + value.length, 0)

/** Gives way to the event loop between two pages. @throws what `signal` was aborted with. */
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
    limit = Math.max(1, Math.min(MOST_RECORDS, Math.floor((PAGE_BYTES * entries.length) / (sizeOf(entries) + 1))))
  }
}
