/**
 * Records as a primary sends them, judged.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { SentOp, SentRecord } from '../serve/fetch.ts'
import type { Following } from '../state/records.ts'
import { bytesOf, indexIn, listOf, type Message, objectOf, textOf, textsOf } from '../wire/judged.ts'

/** Changes in one record. */
export const MOST_OPS_OF_RECORD = 10_000

/** A record in pieces is no larger. */
export const LARGEST_RECORD = 1_073_741_824

/** Whether what is held is a state of the primary. */
export const isClear = ({ applied, differs, fuzzy_until }: Following): boolean =>
  !differs && fuzzy_until !== null && applied >= fuzzy_until

export function recordIn(item: unknown): SentRecord {
  const record = objectOf(item, 'record')
  return {
    index: indexIn(record, 'index'),
    ops: listOf(record, 'ops', MOST_OPS_OF_RECORD).map((op) => opIn(objectOf(op, 'op'))),
    guards: textsOf(record, 'guards', MOST_OPS_OF_RECORD).map((key) => ofClass(key, 'i/guard/r/')),
  }
}

export function opIn(op: Message): SentOp {
  const key = ofClass(textOf(op, 'key'), 'r/')
  return op['value'] === undefined ? { key } : { key, value: bytesOf(op, 'value', LARGEST_RECORD) }
}

/** A primary cannot reach records of another class, whatever it sends. */
function ofClass(key: string, prefix: string): string {
  if (key.startsWith(prefix)) return key
  throw new KernelError('ERR_UPSTREAM', 'the primary sent a record of another class')
}
