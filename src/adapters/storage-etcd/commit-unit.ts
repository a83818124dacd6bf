/** Translates commits into cluster transactions and the answers into outcomes, in pure functions. */
import { writtenKeys } from '../../core/storage/ops.ts'
import { type Commit, type Conflict, logIndex, logKey, type Op, type Revision } from '../../core/storage/port.ts'
import { borderText, type Layout, modifiedOf, NEVER, revisionOf, slotOf, storedBytes } from './layout.ts'
import type { Compare, KeyValue, OpAnswer, Request, Txn, TxnAnswer } from './messages.ts'
import { conflictText, readVerdict, successText } from './verdict.ts'

export interface EtcdCommitRequest {
  readonly ops: readonly Op[]
  readonly id: string
  /** A revision that the cluster had before the commit was first sent. So everything that the commit wrote has a later revision. */
  readonly since: number
}

export interface LogEnd {
  /** The cluster revision of the log's head, the record that contains the last assigned index; 0 if the log has no head. */
  readonly modified: number
  /** The last assigned index. For a log without a head, this is the index of its last record. */
  readonly index: number
}

export type LogEndsByName = ReadonlyMap<string, LogEnd>

/** The compares, writes and reads of a transaction that carries out one commit. */
export interface CommitUnit {
  readonly compare: readonly Compare[]
  readonly success: readonly Request[]
  /** The reads if a compare does not hold: the verdict, the records whose versions the commit expects, and the heads of its logs. */
  readonly failure: readonly Request[]
  readonly appended: readonly number[]
}

/** The outcome of a commit that the cluster did not carry out in this attempt. */
export type UnitOutcome =
  | { readonly verdict: Commit }
  /** An expectation does not hold. The conflict is not stored as the verdict yet. */
  | { readonly conflict: Conflict }
  /** All expectations hold, but the ends of the commit's logs have changed. */
  | { readonly ends: LogEndsByName }
  /** This attempt was not carried out, and the verdict of an earlier attempt may have been deleted. */
  | { readonly late: true }

export const expectationsOf = (ops: readonly Op[]): readonly { readonly key: string; readonly expect: Revision }[] =>
  ops.flatMap((op) => (op.op === 'append' || op.expect === undefined ? [] : [{ key: op.key, expect: op.expect }]))

export const logsOf = (ops: readonly Op[]): readonly string[] => [
  ...new Set(ops.flatMap((op) => (op.op === 'append' ? [op.log] : []))),
]

const absent = (key: Uint8Array): Compare => ({ key, modified: 0 })

/**
 * Returns compares that hold if the record has this version. A version combines a cluster revision and a slot: etcd stores the revision at
 * which the record was written, and the first stored byte is the slot. At least one more byte follows, so the stored bytes are greater than
 * the single byte `slot`.
 */
function hasVersion(key: Buffer, version: Revision): Compare[] {
  const [modified, slot] = [modifiedOf(version), slotOf(version)]
  if (version === 0) return [absent(key)]
  const below: Compare = { key, value: 'less', than: Buffer.from([slot + 1]) }
  const above: Compare[] = slot > 0 ? [{ key, value: 'greater', than: Buffer.from([slot]) }] : []
  return [{ key, modified }, below, ...above]
}

/** The number of compares or of writes in the commit's unit, whichever is greater. */
export function unitSizeOf(ops: readonly Op[]): number {
  let [compares, writes] = [2, 2]
  for (const op of ops) {
    if (op.op === 'append' || op.expect !== undefined) compares += 3
    if (op.op === 'append') writes += 2
    else if (op.op !== 'check') writes++
  }
  return Math.max(compares, writes)
}

/**
 * The condition that the verdicts of all commits after the cluster revision `since` are still stored. Without it, a commit that arrives
 * twice could be carried out twice.
 */
const remembered = (layout: Layout, since: number): Compare => ({
  key: layout.border,
  value: 'less',
  than: borderText(since + 1),
})

/** The approximate number of request bytes of the commit's unit. */
export function requestBytesOf({ ops, id }: EtcdCommitRequest): number {
  let bytes = 2 * id.length + 400
  for (const op of ops) {
    if ('value' in op) bytes += op.value.length
    const name = op.op === 'append' ? op.log : op.key
    // The factor is the number of times that the key appears: in compares, a write, the verdict and a read.
    bytes += (op.op === 'append' || op.expect !== undefined ? 6 : 3) * (Buffer.byteLength(name) + 160)
  }
  return bytes
}

/** @param ends The end of each log that the commit appends to. */
export function unitOf(layout: Layout, { ops, id }: EtcdCommitRequest, slot: number, ends: LogEndsByName): CommitUnit {
  const verdict = layout.verdict(id)
  const compare: Compare[] = [absent(verdict)]
  const success: Request[] = []
  const failure: Request[] = [{ range: { key: verdict } }]
  const appended: number[] = []
  const last = new Map([...ends].map(([log, { index }]) => [log, index]))
  // When a store is copied, the records of a log are written with `put`, and the log has no head. Its last index then comes from these
  // records.
  for (const op of ops) {
    if (op.op !== 'put') continue
    for (const [log, { modified, index }] of ends) {
      if (modified === 0) last.set(log, Math.max(last.get(log) ?? index, logIndex(log, op.key)))
    }
  }
  for (const op of ops) {
    const key = layout.record(op.op === 'append' ? logKey(op.log, (last.get(op.log) ?? 0) + 1) : op.key)
    if (op.op === 'append') {
      const index = (last.get(op.log) ?? 0) + 1
      last.set(op.log, index)
      appended.push(index)
      if (ends.get(op.log)?.modified === 0) compare.push(absent(key))
    } else if (op.expect !== undefined) {
      compare.push(...hasVersion(key, op.expect))
      failure.push({ range: { key } })
    }
    if (op.op === 'put' || op.op === 'append') success.push({ put: key, value: storedBytes(op.value, slot) })
    else if (op.op === 'del') success.push({ remove: key })
  }
  for (const [log, { modified }] of ends) {
    compare.push({ key: layout.log(log), modified })
    success.push({ put: layout.log(log), value: Buffer.from(String(last.get(log))) })
    failure.push({ range: { key: layout.log(log) } })
  }
  success.push({ put: verdict, value: successText(slot, writtenKeys(ops, appended), appended) })
  success.push({ put: layout.head(slot), value: Buffer.alloc(0) })
  return { compare, success, failure, appended }
}

const foundIn = (answer: OpAnswer | undefined): KeyValue | undefined =>
  answer && 'range' in answer ? answer.range.found[0] : undefined

const versionOf = (found: KeyValue | undefined): Revision => (found ? revisionOf(found.modified, found.value[0] ?? 0) : 0)

/** Finds the first expectation of the ops that does not hold. @param versions The versions of the records with expectations, in order. */
export function conflictOf(ops: readonly Op[], versions: readonly Revision[]): Conflict | undefined {
  for (const [at, { key, expect }] of expectationsOf(ops).entries()) {
    const version = versions[at] ?? 0
    if (version !== expect) return { ok: false, conflict: key, version }
  }
  return undefined
}

/** @param answer The answers to the unit's `failure` reads. */
export function outcomeOf({ ops }: EtcdCommitRequest, ends: LogEndsByName, { answers, late }: UnitAnswer): UnitOutcome {
  const verdict = foundIn(answers[0])
  if (verdict) return { verdict: readVerdict(verdict) }
  if (late) return { late }
  const expected = expectationsOf(ops).length
  const conflict = conflictOf(
    ops,
    answers.slice(1, 1 + expected).map((answer) => versionOf(foundIn(answer))),
  )
  if (conflict) return { conflict }
  const found = answers.slice(1 + expected)
  return { ends: new Map([...ends.keys()].map((log, at) => [log, endOfHead(foundIn(found[at]))])) }
}

/**
 * Returns the end of a log, given its head. Without a head, the index is 0 although the log may have records; `LogEnds` then reads the last
 * record.
 */
export const endOfHead = (head: KeyValue | undefined): LogEnd =>
  head ? { modified: head.modified, index: Number(head.value.toString('utf8')) } : { modified: 0, index: 0 }

/** Stores a conflict as the verdict of an id that has no verdict yet. */
export function conflictUnit(layout: Layout, { id }: EtcdCommitRequest, conflict: Conflict): CommitUnit {
  const key = layout.verdict(id)
  const success: Request[] = [{ put: key, value: conflictText(conflict) }]
  return { compare: [absent(key)], success, failure: [{ range: { key } }], appended: [] }
}

/**
 * The transaction that contains several independent commits. etcd checks its storage quota only if the outermost transaction has a put, so
 * this transaction has a put of its own.
 * @param since The lowest `since` of these commits.
 */
export function sharedTxn(layout: Layout, units: readonly CommitUnit[], since: number): Txn {
  const [first, ...others] = units
  if (first && others.length === 0) return alone(layout, first, since)
  const inside = units.map((txn) => ({ txn }))
  const success = [...inside, { put: layout.written, value: Buffer.alloc(0) }]
  return { compare: [remembered(layout, since)], success, failure: units.flatMap(({ failure }) => failure.slice(0, 1)) }
}

const alone = (layout: Layout, { compare, success, failure }: Txn, since: number): Txn => ({
  compare: [remembered(layout, since), ...compare],
  success,
  failure: [...failure, { range: { key: layout.border } }],
})

/** The cluster's answer for one commit. */
export interface UnitAnswer extends TxnAnswer {
  readonly late: boolean
}

/**
 * Extracts the answer for one commit.
 * @param answer The answer to {@link sharedTxn} or {@link dividedTxn}. A transaction of {@link dividedTxn} contains a single commit.
 */
export function unitAnswerOf(answer: TxnAnswer, commits: number, slot: number, since: number): UnitAnswer {
  const { header, succeeded, answers } = answer
  if (commits === 1) return { ...answer, late: !succeeded && !(borderIn(answers.at(-1)) <= since) }
  if (!succeeded) return { header, succeeded, answers: answers.slice(slot, slot + 1), late: true }
  const inside = answers[slot]
  if (!inside || !('txn' in inside)) throw new Error('etcd: the answer to a transaction is incomplete')
  return { ...inside.txn, late: false }
}

const borderIn = (answer: OpAnswer | undefined): number => Number(foundIn(answer)?.value.toString('utf8'))

/**
 * The transaction of a commit with more operations than a cluster transaction may have. The operations are divided into nested
 * transactions. If the compares of a nested transaction do not hold, that transaction requests an impossible revision, so the cluster
 * refuses the whole commit.
 */
export function dividedTxn(layout: Layout, { compare, success, failure }: CommitUnit, since: number, maxTxnOps: number): Txn {
  const never: Request = { range: { key: layout.stamp, revision: NEVER } }
  const room = Math.floor(maxTxnOps * 0.75)
  const [first, ...rest] = compare
  const parts: Request[] = []
  for (let at = 0; at < rest.length; at += room) {
    parts.push({ txn: { compare: rest.slice(at, at + room), success: [], failure: [never] } })
  }
  // The last write is not nested, because the outermost transaction needs a put: see `sharedTxn`.
  const [last, ...inside] = success.toReversed()
  for (let at = 0; at < inside.length; at += room) {
    parts.push({ txn: { compare: [], success: inside.slice(at, at + room), failure: [] } })
  }
  const whole = { compare: first ? [first] : [], success: last ? [...parts, last] : parts, failure: failure.slice(0, 1) }
  return alone(layout, whole, since)
}
