/**
 * Old verdicts and changes go, now and then, outside of any commit. Room: adapters/storage-postgresql.
 */
import type { Revision } from '../../core/storage/port.ts'
import type { Session } from './connections.ts'
import { changeKey, IDS_END, IDS_START, literal, type TableName } from './table.ts'

/** The port demands 1,000 verdicts. These are some minutes of a busy store, so that a connection may be away for a while. */
const KEPT = 65_536
const FORGET_EVERY = 8192

/** Whether a count that has risen by `added` has passed a mark. */
export const crossed = (count: number, added: number): boolean =>
  Math.floor(count / FORGET_EVERY) > Math.floor((count - added) / FORGET_EVERY)

export async function forget({ run }: Session, { full }: TableName, revision: Revision, count: number): Promise<void> {
  if (count > KEPT) {
    await run(`DELETE FROM ${full} WHERE k >= ${literal(IDS_START)} AND k < ${literal(IDS_END)} AND n <= ${count - KEPT}`)
  }
  if (revision > KEPT) {
    await run(`DELETE FROM ${full} WHERE k >= ${literal(changeKey(0))} AND k < ${literal(changeKey(revision - KEPT))}`)
  }
}
