/** Which of the commits that wait share the next transaction of the cluster. */
import type { Answerable } from '../../core/storage/commit-queue.ts'
import type { Conflict } from '../../core/storage/port.ts'
import { SLOTS } from './layout.ts'
import type { Asked } from './unit.ts'

/** How far behind the first a commit is looked for that fits. */
const LOOK_AHEAD = 1024

export interface Waiting extends Asked, Answerable {
  readonly bytes: number
  readonly size: number
  /** Whether an attempt may have taken effect of which nobody was told. */
  readonly doubtful: boolean
  readonly logs: readonly string[]
  readonly until: number
  /** The number of the commit in this process. */
  readonly number: number
  /** Found, and to be stored before it is told. */
  readonly conflict?: Conflict
  /** How often its logs were longer than it knew. */
  readonly races: number
}

/**
 * Conditions inside a transaction are judged before any of its writes, and it writes no key twice. So what one commit of it writes no
 * later one may write or rest on.
 */
export class Grouping {
  readonly #maxTxnOps: number
  readonly #maxBytes: number
  readonly #busyLogs: ReadonlySet<string>
  readonly #written = new Set<string>()

  constructor(maxTxnOps: number, maxBytes: number, busyLogs: ReadonlySet<string>) {
    this.#maxTxnOps = maxTxnOps
    this.#maxBytes = maxBytes
    this.#busyLogs = busyLogs
  }

  /** Takes them out of the queue; none where all of them wait for a log. */
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
      // The operations of a transaction and those of one inside it share the limit.
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

/** No key of a record. */
const logName = (log: string): string => `\0log ${log}`
