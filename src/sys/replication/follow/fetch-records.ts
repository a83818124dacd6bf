/**
 * Fetches the primary's records from behind an index on, a large one piece by piece.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { SentRecord } from '../serve/fetch.ts'
import { bytesOf, indexIn, listOf, objectOf, textsOf } from '../wire/message-members.ts'
import { unpack } from '../wire/packed.ts'
import { logIndexIn } from '../wire/read-messages.ts'
import { StaleClaimError } from './apply-records.ts'
import type { PrimaryClient } from './primary-client.ts'
import { MAX_RECORD_BYTES, readRecord } from './read-records.ts'

const MAX_RECORDS = 100_000

const MAX_REMOVED = 100_000

export interface FetchedRecords {
  readonly records: readonly SentRecord[]
  /** Everything up to this index was looked at. */
  readonly to: number
  /** Mounts and namespaces that were removed, of which nothing else is told. */
  readonly removed: readonly string[]
  /** What is to be had changed, at this index at the latest. */
  readonly scopeChangedAt: number | undefined
}

/** From where on, and as of which view what is held is held. */
export interface FetchPosition {
  readonly after: number
  readonly view: string
  /** What was to be had has changed up to this index, and everything was compared since. */
  readonly turned: number
  /** Milliseconds that the primary may wait for something new. */
  readonly wait: number
}

/** @returns `gap` where its log does not go back that far. */
export async function fetchRecords(
  follower: PrimaryClient,
  { after, view, turned, wait }: FetchPosition,
  signal: AbortSignal,
): Promise<'gap' | FetchedRecords> {
  let whole: Uint8Array | undefined
  for (let offset = 0; ; ) {
    const answer = await follower.ask({ kind: 'fetch', after, offset, wait, view, turned }, signal)
    if (answer['gap'] === true) return 'gap'
    const piece = answer['piece'] === undefined ? undefined : objectOf(answer['piece'], 'piece')
    const gone = answer['gone'] === undefined ? [] : textsOf(answer, 'gone', MAX_REMOVED)
    const turn = answer['turn'] === undefined ? undefined : logIndexIn(answer, 'turn', follower.now())
    if (!piece) {
      const records = listOf(answer, 'records', MAX_RECORDS).map((item) => readRecord(follower, item))
      return { records, to: logIndexIn(answer, 'to', follower.now()), removed: gone, scopeChangedAt: turn }
    }
    const total = indexIn(piece, 'total')
    const bytes = bytesOf(piece, 'bytes', MAX_RECORD_BYTES)
    if (total > MAX_RECORD_BYTES || bytes.length === 0 || offset + bytes.length > total)
      throw new KernelError('ERR_UPSTREAM', 'the primary sent a record that is none')
    whole ??= new Uint8Array(total)
    if (whole.length !== total) throw new StaleClaimError()
    whole.set(bytes, offset)
    offset += bytes.length
    if (offset < total) continue
    const record = readRecord(follower, unpack(whole)?.value)
    whole.fill(0)
    return { records: [record], to: record.index, removed: gone, scopeChangedAt: turn }
  }
}
