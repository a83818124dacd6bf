/**
 * One commit inside a write transaction.
 */
import { type Commit, logIndex, logKey, type Op, type Revision } from '../../core/storage/port.ts'
import { keyBytes, numberBytes, readNumber, withVersionSpace, writeNumber } from './bytes.ts'
import { ignoreRejection } from './driver.ts'
import type { LmdbEnvironment } from './environment.ts'

/** An operation that waits for its transaction. It has its own copy of the caller's bytes. */
export type PreparedOp =
  | {
      readonly op: 'put'
      readonly key: string
      readonly at: Buffer
      readonly record: Buffer
      readonly expect: Revision | undefined
    }
  | { readonly op: 'del' | 'check'; readonly key: string; readonly at: Buffer; readonly expect: Revision | undefined }
  | { readonly op: 'append'; readonly log: string; readonly record: Buffer }

export function prepareOp(op: Op): PreparedOp {
  if (op.op === 'append') return { op: 'append', log: op.log, record: withVersionSpace(op.value) }
  const { key, expect } = op
  if (op.op === 'put') return { op: 'put', key, expect, at: keyBytes(key), record: withVersionSpace(op.value) }
  return { op: op.op, key, expect, at: keyBytes(key) }
}

/** The next index of a log. A log that was copied record by record continues after its last record. */
function nextIndex({ data, logs }: LmdbEnvironment, log: string): number {
  const end = logs.getBinaryFast(keyBytes(log))
  if (end) return readNumber(end) + 1
  const start = keyBytes(logKey(log, Number.MAX_SAFE_INTEGER))
  for (const key of data.getKeys({ start, end: keyBytes(logKey(log, 0)), reverse: true })) {
    const index = logIndex(log, key.toString('utf8'))
    // A key such as `log/5` sorts among the records of the log, but does not belong to the log.
    if (index > 0) return index + 1
  }
  return 1
}

/**
 * Checks all expectations, then writes. `revision` is the newest revision of the store. If this function throws, the caller must undo the
 * transaction.
 */
export function writeOps(environment: LmdbEnvironment, ops: readonly PreparedOp[], revision: Revision): Commit {
  const { data, logs } = environment
  for (const op of ops) {
    if (op.op === 'append' || op.expect === undefined) continue
    const record = data.getBinaryFast(op.at)
    const version = record ? readNumber(record) : 0
    if (version !== op.expect) return { ok: false, conflict: op.key, version }
  }
  const writes = ops.filter((op) => op.op !== 'check')
  if (writes.length === 0) return { ok: true, revision, appended: [] }
  const next = revision + 1
  const appended: number[] = []
  for (const op of writes) {
    if (op.op === 'del') {
      ignoreRejection(data.remove(op.at))
      continue
    }
    writeNumber((op as { record: Buffer }).record, next)
    if (op.op === 'put') ignoreRejection(data.put(op.at, op.record))
    else if (op.op === 'append') {
      const index = nextIndex(environment, op.log)
      ignoreRejection(logs.put(keyBytes(op.log), numberBytes(index)))
      ignoreRejection(data.put(keyBytes(logKey(op.log, index)), op.record))
      appended.push(index)
    }
  }
  return { ok: true, revision: next, appended }
}
