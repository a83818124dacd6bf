/**
 * Group commit: commits that are requested while a transaction is being written share the next transaction.
 *
 * Each commit of a group succeeds or conflicts separately, given the state after the commits before it. A group takes one write
 * transaction, one update of the head and one record of verdicts, so concurrent commits cost little more than their writes.
 */
import { type CommitCallbacks, CommitQueue } from '../../core/storage/commit-queue.ts'
import type { Commit } from '../../core/storage/port.ts'
import type { PreparedOp } from './write.ts'

/** While one transaction is written to disk, the next one waits for its turn. */
const MAX_TRANSACTIONS = 2

/** The limits of one transaction, because it blocks the event loop while it is written. */
const MAX_GROUP_OPS = 2048
const MAX_GROUP_BYTES = 4 * 1024 * 1024

/** A commit that waits for its transaction. */
export interface PreparedCommit {
  readonly id: string
  readonly ops: readonly PreparedOp[]
  readonly bytes: number
}

export interface LmdbCommitterOptions {
  /** Runs `action` in the next write transaction and undoes its writes if it throws. Resolves when the transaction is on disk. */
  transact<R>(action: () => R): Promise<R>
  /** Writes commits inside a transaction; returns a verdict for each. */
  write(commits: readonly PreparedCommit[]): readonly Commit[]
  /** Called when the commits are on disk, before their callers get the result. */
  committed(commits: readonly PreparedCommit[], verdicts: readonly Commit[]): void
  /** Returns the error for the callers of a failed transaction. */
  failure(error: unknown): unknown
}

type Waiting = PreparedCommit & CommitCallbacks

export class LmdbCommitter {
  readonly #options: LmdbCommitterOptions
  readonly #queue = new CommitQueue<Waiting>({
    maxTransactions: MAX_TRANSACTIONS,
    takeGroup,
    commitGroup: (take) => this.#commitGroup(take),
  })

  constructor(options: LmdbCommitterOptions) {
    this.#options = options
  }

  commit(prepared: PreparedCommit): Promise<Commit> {
    return this.#queue.add(prepared.id, ({ resolve, reject }) => ({
      id: prepared.id,
      ops: prepared.ops,
      bytes: prepared.bytes,
      resolve,
      reject,
    }))
  }

  /** Resolves when no commit is pending. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  async #commitGroup(take: () => readonly Waiting[]): Promise<void> {
    const { transact, write, committed, failure } = this.#options
    let group: readonly Waiting[] | undefined
    try {
      const verdicts = await transact(() => {
        group = take()
        return write(group)
      })
      const written = group ?? []
      committed(written, verdicts)
      for (const [index, { resolve }] of written.entries()) resolve(verdicts[index]!)
    } catch (error) {
      const reported = failure(error)
      for (const { reject } of group ?? take()) reject(reported)
    }
  }
}

/** Takes the next commit and as many of the following commits as fit into one transaction. */
function takeGroup(queue: Waiting[]): readonly Waiting[] {
  let [size, ops, bytes] = [0, 0, 0]
  for (const commit of queue) {
    ops += commit.ops.length
    bytes += commit.bytes
    if (size > 0 && (ops > MAX_GROUP_OPS || bytes > MAX_GROUP_BYTES)) break
    size++
  }
  return queue.splice(0, size)
}
