/** Fetches the primary's log records after an index. A large record is fetched in pieces. */
import { KernelError } from '../../../core/base/errors.ts'
import type { SentRecord } from '../serve/fetch.ts'
import { bytesMember, indexIn, listOf, objectOf, textsOf } from '../wire/message-members.ts'
import { logIndexIn } from '../wire/read-messages.ts'
import { unpack } from '../wire/unpack.ts'
import { StaleClaimError } from './apply-records.ts'
import type { PrimaryClient } from './primary-client.ts'
import { type PrimaryProgress, readPrimaryProgress } from './primary-state.ts'
import { MAX_RECORD_BYTES, readRecord } from './read-records.ts'

const MAX_RECORDS = 100_000

const MAX_REMOVED = 100_000

export interface FetchedRecords {
  readonly records: readonly SentRecord[]
  /** The answer covers the log up to this index. */
  readonly to: number
  /** UUIDs of mounts and namespaces that were removed. For a filtered secondary, the primary does not send these deletions as records. */
  readonly removed: readonly string[]
  /**
   * An index at or after the last change of the path filter of this secondary, or of the paths that the filter covers; undefined if neither
   * has changed.
   */
  readonly scopeChangedAt: number | undefined
  readonly progress: PrimaryProgress
}

/** The position from which to fetch records. */
export interface FetchPosition {
  readonly after: number
  readonly view: string
  /** Scope changes up to this index are already known to this secondary. */
  readonly turned: number
  /** How long, in milliseconds, the primary may wait for new records. */
  readonly wait: number
}

/** @returns `gap` if the primary's log no longer contains the entries after the position. */
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
    const progress = readPrimaryProgress(answer, follower.now())
    if (!piece) {
      const records = listOf(answer, 'records', MAX_RECORDS).map((item) => readRecord(follower, item))
      return { records, to: logIndexIn(answer, 'to', follower.now()), removed: gone, scopeChangedAt: turn, progress }
    }
    const total = indexIn(piece, 'total')
    const bytes = bytesMember(piece, 'bytes', MAX_RECORD_BYTES)
    if (total > MAX_RECORD_BYTES || bytes.length === 0 || offset + bytes.length > total)
      throw new KernelError('ERR_UPSTREAM', 'the primary sent an invalid record')
    whole ??= new Uint8Array(total)
    if (whole.length !== total) throw new StaleClaimError()
    whole.set(bytes, offset)
    offset += bytes.length
    if (offset < total) continue
    const record = readRecord(follower, unpack(whole)?.value)
    whole.fill(0)
    return { records: [record], to: record.index, removed: gone, scopeChangedAt: turn, progress }
  }
}
