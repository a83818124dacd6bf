/** The queue of a process's commits, for storages that write several commits in one transaction. */
import type { Commit } from './port.ts'

export interface CommitCallbacks {
  resolve(verdict: Commit): void
  reject(error: unknown): void
}

export interface CommitQueueOptions<Waiting> {
  /**
   * The maximum number of transactions in flight. If it is greater than 1, a transaction is sent while the store still processes the
   * previous one.
   */
  readonly maxTransactions: number
  /**
   * Removes the commits of the next transaction from the queue and returns them. Returns an empty list if every commit must wait for a
   * transaction in flight.
   */
  takeGroup(waiting: Waiting[]): readonly Waiting[]
  /** Settles all commits of the group, or puts them back into the queue. Never rejects. */
  commitGroup(group: readonly Waiting[]): Promise<void>
}

export class CommitQueue<Waiting extends CommitCallbacks> {
  readonly #options: CommitQueueOptions<Waiting>
  readonly #waiting: Waiting[] = []
  /**
   * The promises of pending commits, by commit id. If `add` is called with the id of a pending commit, it returns that commit's promise.
   */
  readonly #pending = new Map<string, Promise<Commit>>()
  #running = 0

  constructor(options: CommitQueueOptions<Waiting>) {
    this.#options = options
  }

  /** @param create Creates the queue entry. Not called if a commit with this id is already pending. */
  add(id: string, create: (promise: CommitCallbacks) => Waiting): Promise<Commit> {
    const known = this.#pending.get(id)
    if (known) return known
    const verdict = new Promise<Commit>((resolve, reject) => this.#waiting.push(create({ resolve, reject })))
    const promise = verdict.finally(() => this.#pending.delete(id))
    this.#pending.set(id, promise)
    this.#pump()
    return promise
  }

  /** Puts entries back at the front of the queue. */
  putBack(waiting: readonly Waiting[]): void {
    this.#waiting.unshift(...waiting)
  }

  /** @param change Returns the replacement of an entry, or undefined to keep it. */
  replace(change: (waiting: Waiting) => Waiting | undefined): void {
    for (const [at, waiting] of this.#waiting.entries()) this.#waiting[at] = change(waiting) ?? waiting
  }

  /** Resolves when no commit is pending. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending.values())
  }

  #pump(): void {
    const { maxTransactions, takeGroup: take, commitGroup } = this.#options
    while (this.#running < maxTransactions && this.#waiting.length > 0) {
      const group = take(this.#waiting)
      if (group.length === 0) return
      this.#running++
      void commitGroup(group).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }
}
