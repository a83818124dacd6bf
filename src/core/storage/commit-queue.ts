/** Commits of a process that wait for the transactions of its store, for storages where several commits share one. */
import type { Commit } from './port.ts'

export interface Answerable {
  resolve(verdict: Commit): void
  reject(error: unknown): void
}

export interface CommitQueueOptions<Waiting> {
  /** How many transactions may be on their way: while the store works at one, the next is there already. */
  readonly mostAtOnce: number
  /** Takes those that share the next transaction out of the queue; none where all of them have to wait for one that is on its way. */
  take(waiting: Waiting[]): readonly Waiting[]
  /** Answers all of them, or puts them back. Never rejects. */
  carryOut(group: readonly Waiting[]): Promise<void>
}

export class CommitQueue<Waiting extends Answerable> {
  readonly #options: CommitQueueOptions<Waiting>
  readonly #waiting: Waiting[] = []
  /** A commit requested again before its answer shares the first request's promise. */
  readonly #underway = new Map<string, Promise<Commit>>()
  #running = 0

  constructor(options: CommitQueueOptions<Waiting>) {
    this.#options = options
  }

  /** @param made What waits, unless the commit of this id does so already. */
  add(id: string, made: (answer: Answerable) => Waiting): Promise<Commit> {
    const known = this.#underway.get(id)
    if (known) return known
    const verdict = new Promise<Commit>((resolve, reject) => this.#waiting.push(made({ resolve, reject })))
    const answer = verdict.finally(() => this.#underway.delete(id))
    this.#underway.set(id, answer)
    this.#pump()
    return answer
  }

  /** In front of all others. */
  putBack(waiting: readonly Waiting[]): void {
    this.#waiting.unshift(...waiting)
  }

  /** @param change What is to wait in its place; undefined where nothing changes. */
  replace(change: (waiting: Waiting) => Waiting | undefined): void {
    for (const [at, waiting] of this.#waiting.entries()) this.#waiting[at] = change(waiting) ?? waiting
  }

  /** Resolves when all requests are answered. */
  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.allSettled(this.#underway.values())
  }

  #pump(): void {
    const { mostAtOnce, take, carryOut } = this.#options
    while (this.#running < mostAtOnce && this.#waiting.length > 0) {
      const group = take(this.#waiting)
      if (group.length === 0) return
      this.#running++
      void carryOut(group).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }
}
