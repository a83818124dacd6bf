/**
 * Fetches the primary's records from behind an index on, a large one piece by piece.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { SentRecord } from '../serve/fetch.ts'
import { bytesOf, indexIn, listOf, objectOf } from '../wire/judged.ts'
import { unpack } from '../wire/packed.ts'
import { Overtaken } from './apply.ts'
import type { Asker } from './asker.ts'
import { LARGEST_RECORD, recordIn } from './received.ts'

const MOST_RECORDS = 100_000

export interface Fetched {
  readonly records: readonly SentRecord[]
  /** Everything up to this index was looked at. */
  readonly to: number
}

/**
 * @param wait Milliseconds that the primary may wait for something new.
 * @returns `gap` where its log does not go back that far.
 */
export async function fetchRecords(follower: Asker, after: number, wait: number, signal: AbortSignal): Promise<'gap' | Fetched> {
  let whole: Uint8Array | undefined
  for (let offset = 0; ; ) {
    const answer = await follower.ask({ kind: 'fetch', after, offset, wait }, signal)
    if (answer['gap'] === true) return 'gap'
    const piece = answer['piece'] === undefined ? undefined : objectOf(answer['piece'], 'piece')
    if (!piece) return { records: listOf(answer, 'records', MOST_RECORDS).map(recordIn), to: indexIn(answer, 'to') }
    const total = indexIn(piece, 'total')
    const bytes = bytesOf(piece, 'bytes', LARGEST_RECORD)
    if (total > LARGEST_RECORD || bytes.length === 0 || offset + bytes.length > total)
      throw new KernelError('ERR_UPSTREAM', 'the primary sent a record that is none')
    whole ??= new Uint8Array(total)
    if (whole.length !== total) throw new Overtaken()
    whole.set(bytes, offset)
    offset += bytes.length
    if (offset < total) continue
    const record = recordIn(unpack(whole)?.value)
    whole.fill(0)
    return { records: [record], to: record.index }
  }
}
