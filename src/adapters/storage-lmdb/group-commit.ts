/**
 * Group commit: commits that are requested while a transaction is being written share the next transaction.
 *
 * Each commit of a group succeeds or conflicts separately, given the state after the commits before it. A group takes one write
 * transaction, one update of the head and one record of verdicts, so concurrent commits cost little more than their writes.
 */
import type { Commit } from '../../core/storage/port.ts'

/** The limits of one transaction, because it blocks the event loop while it is written. */
const MAX_GROUP_OPS = 2048
const MAX_GROUP_BYTES = 4 * 1024 * 1024

export interface Sized {
  readonly ops: readonly unknown[]
  readonly bytes: number
}

export interface GroupCommitOptions<T> {
  /** Runs `action` in the next write transaction and undoes its writes if it throws. Resolves when the transaction is on disk. */
  transact<R>(action: () => R): Promise<R>
  /** Writes commits inside a transaction; returns a verdict for each. */
  write(commits: readonly T[]): readonly Commit[]
  /** Called when the commits are on disk, before their callers get the result. */
  done(commits: readonly T[], verdicts: readonly Commit[]): void
  /** The error for the callers of a failed transaction. */
  failure(error: unknown): unknown
}

interface Waiting<T> {
  readonly commit: T
  readonly resolve: (verdict: Commit) => void
  readonly reject: (error: unknown) => void
}

export class GroupCommit<T extends Sized> {
  readonly #grouping: GroupCommitOptions<T>
  readonly #underway = new Set<Promise<void>>()
  #waiting: Waiting<T>[] = []
  #scheduled = false

  constructor(grouping: GroupCommitOptions<T>) {
    this.#grouping = grouping
  }

  commit(commit: T): Promise<Commit> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject })
      this.#schedule()
    })
  }

  /** Resolves when no commit is waiting or being written. */
  async idle(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway)
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    const running = this.#run().finally(() => this.#underway.delete(running))
    this.#underway.add(running)
  }

  async #run(): Promise<void> {
    const { transact, write, done, failure } = this.#grouping
    let group: readonly Waiting<T>[] | undefined
    try {
      let commits: readonly T[] = []
      const verdicts = await transact(() => {
        group = this.#take()
        commits = group.map(({ commit }) => commit)
        return write(commits)
      })
      done(commits, verdicts)
      group?.forEach(({ resolve }, at) => {
        resolve(verdicts[at]!)
      })
    } catch (error) {
      const told = failure(error)
      for (const { reject } of group ?? this.#take()) reject(told)
    }
  }

  /**
   * Takes the next commit and as many of the following commits as fit into one transaction. The remaining commits wait for the next
   * transaction.
   */
  #take(): readonly Waiting<T>[] {
    let [count, ops, bytes] = [0, 0, 0]
    for (const { commit } of this.#waiting) {
      ops += commit.ops.length
      bytes += commit.bytes
      if (count > 0 && (ops > MAX_GROUP_OPS || bytes > MAX_GROUP_BYTES)) break
      count++
    }
    const taken = this.#waiting.splice(0, count)
    // Schedule the next group only after this callback of `transact` has returned. If lmdb receives work during the callback, it adds the
    // work to the same transaction, but reports it as done before that transaction is on disk.
    queueMicrotask(() => {
      this.#scheduled = false
      this.#schedule()
    })
    return taken
  }
}
