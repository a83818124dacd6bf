/**
 * Records as a primary sends them, judged.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Position } from '../../../core/log/role.ts'
import { GUARDS, type SentOp, type SentRecord } from '../serve/fetch.ts'
import { DR, isSentKey, type Kind } from '../state/kind.ts'
import type { Following } from '../state/records.ts'
import { bytesOf, listOf, type Message, objectOf, textOf, textsOf } from '../wire/judged.ts'
import { epochIn, logIndexIn } from '../wire/read-messages.ts'

/** Changes in one record. */
export const MOST_OPS_OF_RECORD = 10_000

/** A record in pieces is no larger. */
export const LARGEST_RECORD = 1_073_741_824

/** Whether what is held is a state of the primary. */
export const isClear = ({ applied, differs, fuzzy_until }: Following): boolean =>
  !differs && fuzzy_until !== null && applied >= fuzzy_until

/** Who receives records, with the clock that bounds what is asserted about them. */
export interface Receiver {
  readonly kind: Kind
  /** Milliseconds. */
  now(): number
}

export function recordIn(reader: Receiver, item: unknown): SentRecord {
  const { kind } = reader
  const record = objectOf(item, 'record')
  return {
    index: logIndexIn(record, 'index', reader.now()),
    ops: listOf(record, 'ops', MOST_OPS_OF_RECORD).map((op) => opIn(kind, objectOf(op, 'op'))),
    guards: textsOf(record, 'guards', MOST_OPS_OF_RECORD).map((key) => guardIn(kind, key)),
    ...(kind === DR && record['served'] !== undefined ? { served: positionIn(record['served'], reader.now()) } : {}),
  }
}

export function opIn(kind: Kind, op: Message): SentOp {
  const key = ofClass(kind, textOf(op, 'key'))
  return op['value'] === undefined ? { key } : { key, value: bytesOf(op, 'value', LARGEST_RECORD) }
}

/** A primary cannot reach records of another class, whatever it sends. */
function ofClass(kind: Kind, key: string): string {
  if (isSentKey(kind, key)) return key
  throw new KernelError('ERR_UPSTREAM', 'the primary sent a record of another class')
}

function guardIn(kind: Kind, key: string): string {
  ofClass(kind, key.startsWith(GUARDS) ? key.slice(GUARDS.length) : '')
  return key
}

export function positionIn(value: unknown, now: number): Position {
  const position = objectOf(value, 'served')
  return { epoch: epochIn(position, 'epoch', now), index: logIndexIn(position, 'index', now) }
}
