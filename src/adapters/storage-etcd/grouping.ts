/** Chooses the waiting commits that share the next cluster transaction. */
import type { CommitCallbacks } from '../../core/storage/commit-queue.ts'
import type { Conflict } from '../../core/storage/port.ts'
import type { EtcdCommitRequest } from './commit-unit.ts'
import { SLOTS } from './layout.ts'

/** The maximum number of waiting commits that are considered for one group. */
const LOOK_AHEAD = 1024

export interface Waiting extends EtcdCommitRequest, CommitCallbacks {
  readonly bytes: number
  readonly size: number
  /** Whether an earlier attempt, whose outcome is unknown, may have taken effect. */
  readonly doubtful: boolean
  readonly logs: readonly string[]
  readonly until: number
  /** The position of the commit among all commits of this process. */
  readonly number: number
  /** A conflict that was found and must be stored before it is reported. */
  readonly conflict?: Conflict
  /** How many times the commit failed because its logs had grown since their ends were read. */
  readonly races: number
}

/**
 * etcd evaluates all conditions of a transaction before its writes, and a transaction cannot write a key twice. So a commit that writes or
 * expects a key cannot share a transaction with an earlier commit that writes that key.
 */
export class CommitGrouping {
  readonly #maxTxnOps: number
  readonly #maxBytes: number
  readonly #busyLogs: ReadonlySet<string>
  readonly #written = new Set<string>()

  constructor(maxTxnOps: number, maxBytes: number, busyLogs: ReadonlySet<string>) {
    this.#maxTxnOps = maxTxnOps
    this.#maxBytes = maxBytes
    this.#busyLogs = busyLogs
  }

  /**
   * Removes the next group from the queue. The group is empty if every waiting commit appends to a log to which a commit in flight also
   * appends.
   */
  take(queue: Waiting[]): readonly Waiting[] {
    const group: Waiting[] = []
    let [bytes, size] = [0, 0]
    let at = 0
    for (let seen = 0; seen < LOOK_AHEAD && at < queue.length && group.length < SLOTS; seen++) {
      const next = queue[at]!
      if (!this.#mayJoin(next)) {
        at++
        continue
      }
      const [grownBytes, grownSize] = [bytes + next.bytes, Math.max(size, next.conflict ? 1 : next.size)]
      // Each nested transaction counts as an operation itself, and so does the put that `sharedTxn` adds.
      const around = group.length > 0 ? group.length + 2 : 0
      const fits = grownBytes <= this.#maxBytes && around + grownSize <= this.#maxTxnOps
      if (group.length > 0 && !fits) break
      queue.splice(at, 1)
      this.#note(next)
      group.push(next)
      bytes = grownBytes
      size = grownSize
      if (!fits) break
    }
    return group
  }

  #mayJoin({ ops, logs, conflict }: Waiting): boolean {
    if (conflict) return true
    if (logs.some((log) => this.#busyLogs.has(log) || this.#written.has(logName(log)))) return false
    return ops.every((op) => op.op === 'append' || !this.#written.has(op.key))
  }

  #note({ ops, logs, conflict }: Waiting): void {
    if (conflict) return
    for (const log of logs) this.#written.add(logName(log))
    for (const op of ops) if (op.op === 'put' || op.op === 'del') this.#written.add(op.key)
  }
}

/** Represents a log in the set of written keys. A zero byte comes first, because no record key begins with one. */
const logName = (log: string): string => `\0log ${log}`
