/**
 * One thread, from start to end.
 */
import { Worker } from 'node:worker_threads'

/** An order for the thread, or its answer. */
export interface Numbered {
  readonly id: number
  readonly data: unknown
}

export interface Task {
  readonly order: object
  readonly transfer: readonly ArrayBuffer[]
  /** Called once, with undefined if the order was not carried out. */
  readonly done: (answer: unknown) => void
}

export class Thread {
  readonly #worker: Worker
  readonly #timeoutMs: number
  readonly #ended: (thread: Thread, worked: boolean) => void
  readonly #answered: () => void
  readonly #tasks = new Map<number, Task>()
  #next = 0
  #timer: NodeJS.Timeout | undefined
  #worked = false
  #over = false

  /**
   * @param answered Called after every answer.
   * @param ended Called once, when it accepts no more tasks; `worked`: it has answered at least once.
   * @throws if the process cannot start threads.
   */
  constructor(program: URL, timeoutMs: number, answered: () => void, ended: (thread: Thread, worked: boolean) => void) {
    this.#timeoutMs = timeoutMs
    this.#answered = answered
    this.#ended = ended
    // The thread gets neither the flags nor the environment of the process.
    this.#worker = new Worker(program, { execArgv: [], env: {}, name: 'strongroom' })
    this.#worker.on('message', (message: Numbered) => this.#answer(message))
    for (const event of ['error', 'messageerror', 'exit'] as const) this.#worker.on(event, () => this.#end())
    this.#worker.unref()
  }

  /** The tasks in flight. */
  get load(): number {
    return this.#tasks.size
  }

  take(task: Task): void {
    const id = this.#next++
    try {
      this.#worker.postMessage({ id, data: task.order } satisfies Numbered, task.transfer)
    } catch {
      // A part of the order cannot be cloned.
      task.done(undefined)
      return
    }
    this.#tasks.set(id, task)
    if (this.#tasks.size > 1) return
    // The process stays alive for tasks in flight, and not for an idle thread.
    this.#worker.ref()
    this.#watch()
  }

  /** Tasks in flight are not carried out. Resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#end()
    await this.#worker.terminate()
  }

  #answer({ id, data }: Numbered): void {
    const task = this.#tasks.get(id)
    if (!task) return
    this.#tasks.delete(id)
    this.#worked = true
    if (this.#tasks.size > 0) this.#watch()
    else {
      clearTimeout(this.#timer)
      this.#worker.unref()
    }
    task.done(data)
    this.#answered()
  }

  /** Every answer restarts the time limit. */
  #watch(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.stop().catch(() => {}), this.#timeoutMs)
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#worker.unref()
    this.#ended(this, this.#worked)
    for (const task of this.#tasks.values()) task.done(undefined)
    this.#tasks.clear()
  }
}
