/** The queue of a process's commits, for storages that write several commits in one transaction. */
import type { Commit } from './port.ts'

export interface CommitCallbacks {
  resolve(verdict: Commit): void
  reject(error: unknown): void
}

export interface CommitQueueOptions<Waiting> {
  /** The maximum number of transactions in flight. While the store processes one, the next can already be sent. */
  readonly maxTransactions: number
  /**
   * Removes the commits of the next transaction from the queue and returns them. Empty if all of them must wait for a transaction in
   * flight.
   */
  takeGroup(waiting: Waiting[]): readonly Waiting[]
  /** Settles all of the commits, or puts them back. Never rejects. */
  commitGroup(group: readonly Waiting[]): Promise<void>
}

export class CommitQueue<Waiting extends CommitCallbacks> {
  readonly #options: CommitQueueOptions<Waiting>
  readonly #waiting: Waiting[] = []
  /** A commit that is requested again while it is pending shares the first request's promise. */
  readonly #pending = new Map<string, Promise<Commit>>()
  #running = 0

  constructor(options: CommitQueueOptions<Waiting>) {
    this.#options = options
  }

  /** @param made Creates the queue entry. Not called if a commit with this id is already pending. */
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
