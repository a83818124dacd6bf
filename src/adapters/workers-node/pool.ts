/**
 * The threads that kernels share, and the queue of tasks.
 */
import type { WorkersLease } from '../../core/contract/workers-port.ts'
import { type Task, Thread } from './thread.ts'

/** The maximum number of tasks that a thread has: one that it runs, and one that it can begin immediately afterwards. */
const MAX_ORDERS_PER_THREAD = 2

/**
 * The minimum estimated time of a task, in microseconds. A message and its answer cost 50 to 200 microseconds, so smaller tasks run on the
 * event loop.
 */
const MIN_MICROSECONDS = 500

/**
 * After this many threads in a row have ended without an answer, new threads are started only after a pause, which grows with each failure.
 */
const MAX_FAILURES = 3
const REST_MS = 1_000
const MAX_REST_MS = 60_000

export class Pool {
  readonly size: number
  readonly #program: URL
  readonly #timeoutMs: number
  readonly #threads = new Set<Thread>()
  readonly #leases = new Set<object>()
  #waiting: Task[] = []
  #failures = 0
  #restsUntil = 0

  constructor(program: URL, size: number, timeoutMs: number) {
    this.#program = program
    this.size = size
    this.#timeoutMs = timeoutMs
  }

  open(): WorkersLease {
    const own = new Set<() => void>()
    const lease: WorkersLease = {
      size: this.size,
      least: MIN_MICROSECONDS,
      run: (order, transfer, signal) => {
        if (!this.#leases.has(lease) || signal?.aborted) return Promise.resolve(undefined)
        return new Promise((resolve) => {
          const task: Task = { order, transfer, done: (answer) => finish(answer) }
          const finish = (answer: unknown): void => {
            signal?.removeEventListener('abort', giveUp)
            own.delete(giveUp)
            resolve(answer)
          }
          const giveUp = (): void => {
            const at = this.#waiting.indexOf(task)
            if (at >= 0) this.#waiting.splice(at, 1)
            finish(undefined)
          }
          own.add(giveUp)
          signal?.addEventListener('abort', giveUp)
          this.#waiting.push(task)
          this.#give()
        })
      },
      close: async () => {
        if (!this.#leases.delete(lease)) return
        for (const giveUp of [...own]) giveUp()
        if (this.#leases.size === 0) await this.#stop()
      },
    }
    this.#leases.add(lease)
    this.#fill()
    return lease
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.stop()))
  }

  /** Starts missing threads. */
  #fill(): void {
    while (this.#leases.size > 0 && this.#threads.size < this.size && performance.now() >= this.#restsUntil) {
      try {
        const thread = new Thread(this.#program, this.#timeoutMs, () => this.#give(), this.#ended)
        this.#threads.add(thread)
      } catch {
        this.#failed()
      }
    }
  }

  #give(): void {
    if (this.#waiting.length === 0) return
    this.#fill()
    while (this.#waiting.length > 0) {
      const free = this.#least()
      if (!free || free.load >= MAX_ORDERS_PER_THREAD) break
      free.take(this.#waiting.shift() as Task)
    }
    if (this.#threads.size > 0) return
    // No thread can run the tasks, so report them as not carried out. They then run on the event loop.
    const waiting = this.#waiting
    this.#waiting = []
    for (const task of waiting) task.done(undefined)
  }

  #least(): Thread | undefined {
    let least: Thread | undefined
    for (const thread of this.#threads) if (!least || thread.load < least.load) least = thread
    return least
  }

  readonly #ended = (thread: Thread, worked: boolean): void => {
    this.#threads.delete(thread)
    if (this.#leases.size === 0) return
    if (worked) this.#failures = 0
    else this.#failed()
    // Start a new thread and assign the waiting tasks to it now, instead of waiting for an answer of another thread.
    queueMicrotask(() => {
      this.#fill()
      this.#give()
    })
  }

  #failed(): void {
    this.#failures++
    const beyond = this.#failures - MAX_FAILURES
    if (beyond >= 0) this.#restsUntil = performance.now() + Math.min(MAX_REST_MS, REST_MS * 2 ** Math.min(beyond, 10))
  }
}
