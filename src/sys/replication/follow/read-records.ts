/** Reads and validates records that a primary sends. */
import { KernelError } from '../../../core/base/errors.ts'
import type { Position } from '../../../core/log/role.ts'
import { GUARDS, type SentOp, type SentRecord } from '../serve/fetch.ts'
import type { ReplicaProgress } from '../state/records.ts'
import { DR, isReplicatedKey, type ReplicationKind } from '../state/replication-kind.ts'
import { bytesMember, listOf, type Message, objectOf, stringMember, textsOf } from '../wire/message-members.ts'
import { epochIn, logIndexIn } from '../wire/read-messages.ts'

/** The maximum number of changes in one record. */
export const MAX_OPS_PER_RECORD = 10_000

/** The maximum size of a record that is sent in pieces. */
export const MAX_RECORD_BYTES = 1_073_741_824

/** Whether the data is a consistent state of the primary. */
export const isConsistent = ({ applied, differs, consistentFrom }: ReplicaProgress): boolean =>
  !differs && consistentFrom !== null && applied >= consistentFrom

/** The receiver of records. Its clock limits the indexes that a message may contain. */
export interface RecordReader {
  readonly kind: ReplicationKind
  /** Milliseconds. */
  now(): number
}

export function readRecord(reader: RecordReader, item: unknown): SentRecord {
  const { kind } = reader
  const record = objectOf(item, 'record')
  return {
    index: logIndexIn(record, 'index', reader.now()),
    ops: listOf(record, 'ops', MAX_OPS_PER_RECORD).map((op) => readOp(kind, objectOf(op, 'op'))),
    guards: textsOf(record, 'guards', MAX_OPS_PER_RECORD).map((key) => readGuard(kind, key)),
    ...(kind === DR && record['served'] !== undefined ? { served: readPerformancePosition(record['served'], reader.now()) } : {}),
  }
}

export function readOp(kind: ReplicationKind, op: Message): SentOp {
  const key = assertReplicated(kind, stringMember(op, 'key'))
  return op['value'] === undefined ? { key } : { key, value: bytesMember(op, 'value', MAX_RECORD_BYTES) }
}

/** Refuses keys of a class that is not replicated, so that a primary cannot write such records to this cluster. */
function assertReplicated(kind: ReplicationKind, key: string): string {
  if (isReplicatedKey(kind, key)) return key
  throw new KernelError('ERR_UPSTREAM', 'the primary sent a record of a class that is not replicated')
}

function readGuard(kind: ReplicationKind, key: string): string {
  assertReplicated(kind, key.startsWith(GUARDS) ? key.slice(GUARDS.length) : '')
  return key
}

export function readPerformancePosition(value: unknown, now: number): Position {
  const position = objectOf(value, 'served')
  return { epoch: epochIn(position, 'epoch', now), index: logIndexIn(position, 'index', now) }
}
