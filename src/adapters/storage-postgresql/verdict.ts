/** Decides commits one after the other, as a pure function of the state of the store. */
import { writtenKeys } from '../../core/storage/ops.ts'
import { type Change, type Commit, logIndex, logKey, type Op, type Revision } from '../../core/storage/port.ts'

export interface CommitRequest {
  readonly ops: readonly Op[]
  readonly id: string
}

/** The state read under the lock of the head. */
export interface LockedState {
  readonly revision: Revision
  /** The number of verdicts that were stored so far. */
  readonly count: number
  /** The versions of the records that have an expected version, by key. Absent records have no entry. */
  readonly versions: ReadonlyMap<string, Revision>
  /** The last assigned index of each log, by log name. */
  readonly logHeads: ReadonlyMap<string, number>
  /** The index of the last record of each log that has no entry in `logHeads`, such as a copied log. */
  readonly logTails: ReadonlyMap<string, number>
}

/** The outcome of the commits: their verdicts, and everything to write. */
export interface DecidedCommits {
  /** One per commit, in the order of the commits. */
  readonly verdicts: readonly Commit[]
  readonly revision: Revision
  readonly count: number
  /** The records to write, by key; undefined for records to delete. */
  readonly records: ReadonlyMap<string, { readonly value: Uint8Array; readonly version: Revision } | undefined>
  /** The new last index of each log that was appended to, by log name. */
  readonly logHeads: ReadonlyMap<string, number>
  /** The verdicts to store: those of all commits that were not decided before. */
  readonly remembered: readonly (readonly [id: string, verdict: Commit])[]
  readonly changes: readonly Change[]
}

/** @param before Returns the verdict of a commit id that was decided earlier, if there is one. */
export function decideCommits(
  found: LockedState,
  asked: readonly CommitRequest[],
  before: (id: string) => Commit | undefined,
): DecidedCommits {
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
    // The commits decided here may also have put records directly into the log, as a copy of a store does.
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
