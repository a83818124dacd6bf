/** Group commit: all waiting commits of this process share one transaction, and each gets a verdict of its own. */
import { type CommitCallbacks, CommitQueue } from '../../core/storage/commit-queue.ts'
import { type Commit, OutcomeUnknown } from '../../core/storage/port.ts'
import { type ConnectionSource, deadlineIn, inSession, pauseForRetry, type Session } from './connections.ts'
import { connectionLost, isRefused, isTransient } from './failures.ts'
import type { Journal } from './journal.ts'
import { journalRowOf } from './journal-row.ts'
import type { TableName } from './table.ts'
import { lockAndRead, write } from './transaction.ts'
import { type CommitRequest, type DecidedCommits, decideCommits } from './verdict.ts'

/** While the server executes one transaction, the next one has already been sent and waits for the lock on the head. */
const MAX_TRANSACTIONS = 2

/** The limits of one transaction, unless a single commit has more. */
const MAX_GROUP_OPS = 512
const MAX_GROUP_BYTES = 1024 * 1024

/**
 * The maximum time in milliseconds that a transaction may be idle on the server. All other writers wait for the process that has locked the
 * head. So if that process is suspended or its machine fails in the middle of a transaction, the server ends the session of that process
 * and undoes the writes of the transaction. If the process resumes, it starts the transaction again.
 */
const MAX_IDLE_MS = 3000

export interface PostgresqlCommitterOptions {
  readonly source: ConnectionSource
  readonly timeoutMs: number
  readonly name: TableName
  readonly journal: Journal
  /** Opens the table if that has not happened yet, and reads the journal if the last read was too long ago. */
  open(): Promise<void>
  /** Called before the callers get the result. The session stays open until the returned promise settles. */
  committed(decided: DecidedCommits, session: Session): Promise<void>
}

interface Waiting extends CommitRequest, CommitCallbacks {
  readonly bytes: number
}

interface Progress {
  /** Whether the writes have been sent, so that they may have taken effect. */
  writing: boolean
  /** Whether the transaction has ended. An error after that does not concern the commits. */
  done: boolean
}

const bytesOf = ({ ops }: CommitRequest): number => ops.reduce((sum, op) => sum + 100 + ('value' in op ? op.value.length : 0), 0)

function takeGroup(queue: Waiting[]): readonly Waiting[] {
  let bytes = 0
  let size = 0
  for (const { bytes: own } of queue) {
    bytes += own
    if (size > 0 && (size === MAX_GROUP_OPS || bytes > MAX_GROUP_BYTES)) break
    size++
  }
  return queue.splice(0, size)
}

export class PostgresqlCommitter {
  readonly #options: PostgresqlCommitterOptions
  readonly #queue = new CommitQueue<Waiting>({
    maxTransactions: MAX_TRANSACTIONS,
    takeGroup,
    commitGroup: (take) => this.#carryOut(take()),
  })

  constructor(options: PostgresqlCommitterOptions) {
    this.#options = options
  }

  /** Commits `ops`, which the caller must not change afterwards. */
  commit(ops: CommitRequest['ops'], id: string): Promise<Commit> {
    return this.#queue.add(id, (answer) => ({ ops, id, bytes: bytesOf({ ops, id }), ...answer }))
  }

  /** Resolves when all requests are answered. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  async #carryOut(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#tryUntilKnown(group)
    } catch (error) {
      // One commit that the server refuses must not fail the other commits of the group, so try each commit separately.
      if (group.length === 1 || error instanceof OutcomeUnknown || isTransient(error))
        for (const { reject } of group) reject(error)
      else for (const single of group) await this.#carryOut([single])
    }
  }

  /**
   * Carries out a group of commits, and retries until the outcome is known or the time is over. A retry is safe: the verdicts are stored in
   * the same transaction as the writes, so a retry finds them if an earlier attempt took effect. While an earlier attempt is undecided, its
   * lock on the head makes the retry wait.
   */
  async #tryUntilKnown(group: readonly Waiting[]): Promise<void> {
    const { source, timeoutMs } = this.#options
    const deadline = deadlineIn(timeoutMs)
    let unknown: unknown
    for (let attempt = 1; ; attempt++) {
      const progress: Progress = { writing: false, done: false }
      try {
        await this.#options.open()
        await inSession(source, deadline, (session) => this.#transact(session, group, progress))
        return
      } catch (error) {
        if (progress.done) return
        if (progress.writing && connectionLost(error)) unknown = error
        // A refused connection normally ends the attempts. But if an earlier attempt may have taken effect, continue until the deadline:
        // the next attempt that reaches the server finds the verdicts.
        const isOver = isRefused(error) && unknown === undefined
        if (!isTransient(error) || isOver || source.ending || !(await pauseForRetry(attempt, deadline))) {
          if (unknown === undefined) throw error
          throw new OutcomeUnknown('the connection was lost while the commit was in flight', { cause: unknown })
        }
      }
    }
  }

  async #transact(session: Session, group: readonly Waiting[], progress: Progress): Promise<void> {
    const { name, journal, committed } = this.#options
    const wait = Math.max(1, Math.round(session.deadline.left() * 0.9))
    const begin =
      'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;' +
      `SET LOCAL lock_timeout = ${wait}; SET LOCAL idle_in_transaction_session_timeout = ${MAX_IDLE_MS};`
    let decided: DecidedCommits
    try {
      decided = decideCommits(await lockAndRead(session, name, group, begin, journal), group, (id) => journal.verdict(id))
      if (decided.remembered.length === 0) await session.run('ROLLBACK')
      else {
        progress.writing = true
        await write(session, name, decided, 'COMMIT')
      }
    } catch (error) {
      if (!connectionLost(error)) {
        // The server refused the transaction, so nothing was written, even if the connection is lost now.
        progress.writing = false
        await session.run('ROLLBACK')
      }
      throw error
    }
    progress.done = true
    if (decided.remembered.length > 0) journal.take(journalRowOf(decided))
    const told = committed(decided, session)
    for (const [index, { resolve }] of group.entries()) resolve(decided.verdicts[index]!)
    await told
  }
}
