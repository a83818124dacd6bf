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
  /**
   * Calls `take` once, when the transaction begins, and commits the group that `take` returns: settles all its commits, or puts them back
   * into the queue. Commits that are added before the call of `take` can still join the group. Never rejects.
   */
  commitGroup(take: () => readonly Waiting[]): Promise<void>
}

export class CommitQueue<Waiting extends CommitCallbacks> {
  readonly #options: CommitQueueOptions<Waiting>
  readonly #waiting: Waiting[] = []
  /**
   * The promises of pending commits, by commit id. If `add` is called with the id of a pending commit, it returns that commit's promise.
   */
  readonly #pending = new Map<string, Promise<Commit>>()
  #running = 0
  /** Whether a transaction was started that has not taken its group yet. */
  #isStarting = false

  constructor(options: CommitQueueOptions<Waiting>) {
    this.#options = options
  }

  /** @param create Creates the queue entry. Not called if a commit with this id is already pending. */
  add(id: string, create: (promise: CommitCallbacks) => Waiting): Promise<Commit> {
    const known = this.#pending.get(id)
    if (known) return known
    const promise = new Promise<Commit>((resolve, reject) => {
      this.#waiting.push(
        create({
          resolve: (verdict) => {
            this.#pending.delete(id)
            resolve(verdict)
          },
          reject: (error) => {
            this.#pending.delete(id)
            reject(error)
          },
        }),
      )
    })
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

  /** Starts the next transaction, unless the previous one has not taken its group yet. The call of `take` starts further ones. */
  #pump(): void {
    const { maxTransactions, takeGroup, commitGroup } = this.#options
    if (this.#isStarting || this.#running === maxTransactions || this.#waiting.length === 0) return
    let group: readonly Waiting[] = []
    // If every commit must wait, the end of a transaction in flight starts the next one.
    const pumpUnlessBlocked = (): void => {
      if (group.length > 0) this.#pump()
    }
    const take = (): readonly Waiting[] => {
      group = takeGroup(this.#waiting)
      // Start the next transaction only after the caller of `take` has returned, because it may be a callback inside its transaction.
      queueMicrotask(() => {
        this.#isStarting = false
        pumpUnlessBlocked()
      })
      return group
    }
    this.#isStarting = true
    this.#running++
    void commitGroup(take).finally(() => {
      this.#running--
      pumpUnlessBlocked()
    })
  }
}
