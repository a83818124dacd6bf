/**
 * What commits come to, one after the other, given what the store holds: pure.
 */
import { writtenKeys } from '../../core/storage/ops.ts'
import { type Change, type Commit, logIndex, logKey, type Op, type Revision } from '../../core/storage/port.ts'

export interface Asked {
  readonly ops: readonly Op[]
  readonly id: string
}

/** What is known under the lock of the head. */
export interface Found {
  readonly revision: Revision
  /** Verdicts given so far. */
  readonly count: number
  /** By key, of all that are expected to be at some version; absent keys are not in it. */
  readonly versions: ReadonlyMap<string, Revision>
  /** By log, the last index given out; and of logs that were copied here and have none, that of their last record. */
  readonly logHeads: ReadonlyMap<string, number>
  readonly logTails: ReadonlyMap<string, number>
}

/** What is to be written so that all verdicts are true. */
export interface Judged {
  /** One per commit, in their order. */
  readonly verdicts: readonly Commit[]
  readonly revision: Revision
  readonly count: number
  /** By key; undefined for what is deleted. */
  readonly records: ReadonlyMap<string, { readonly value: Uint8Array; readonly version: Revision } | undefined>
  /** By log, where it was appended to. */
  readonly logHeads: ReadonlyMap<string, number>
  /** New verdicts, by id. */
  readonly remembered: readonly (readonly [id: string, verdict: Commit])[]
  readonly changes: readonly Change[]
}

/** @param before The verdict of an id that was asked before. */
export function judge(found: Found, asked: readonly Asked[], before: (id: string) => Commit | undefined): Judged {
  const records = new Map<string, { readonly value: Uint8Array; readonly version: Revision } | undefined>()
  const remembered = new Map<string, Commit>()
  const logHeads = new Map<string, number>()
  const changes: Change[] = []
  let { revision } = found

  const versionOf = (key: string): Revision =>
    records.has(key) ? (records.get(key)?.version ?? 0) : (found.versions.get(key) ?? 0)

  const endOf = (log: string): number => {
    const given = logHeads.get(log) ?? found.logHeads.get(log)
    if (given !== undefined) return given
    let end = found.logTails.get(log) ?? 0
    // Records of the log may have been put just now, as a copy does.
    for (const [key, record] of records) if (record) end = Math.max(end, logIndex(log, key))
    return end
  }

  const apply = (ops: readonly Op[]): Commit => {
    for (const op of ops) {
      if (op.op === 'append' || op.expect === undefined) continue
      const version = versionOf(op.key)
      if (version !== op.expect) return { ok: false, conflict: op.key, version }
    }
    const appended: number[] = []
    if (ops.some((op) => op.op !== 'check')) revision++
    for (const op of ops) {
      if (op.op === 'put') records.set(op.key, { value: op.value, version: revision })
      else if (op.op === 'del') records.set(op.key, undefined)
      else if (op.op === 'append') {
        const index = endOf(op.log) + 1
        logHeads.set(op.log, index)
        appended.push(index)
        records.set(logKey(op.log, index), { value: op.value, version: revision })
      }
    }
    return { ok: true, revision, appended }
  }

  const verdicts = asked.map(({ ops, id }) => {
    const first = remembered.get(id) ?? before(id)
    if (first) return first
    const newest = revision
    const verdict = apply(ops)
    if (revision > newest && verdict.ok) changes.push({ revision, keys: writtenKeys(ops, verdict.appended) })
    remembered.set(id, verdict)
    return verdict
  })
  const count = found.count + remembered.size
  return { verdicts, revision, count, records, logHeads, remembered: [...remembered], changes }
}
