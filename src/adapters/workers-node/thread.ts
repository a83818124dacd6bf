import { Worker } from 'node:worker_threads'

/** A task for the thread, or the thread's answer. */
export interface Numbered {
  readonly id: number
  readonly data: unknown
}

export interface Task {
  readonly order: object
  readonly transfer: readonly ArrayBuffer[]
  /** Called once, with undefined if the task was not carried out. */
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
   * @param ended Called once, when the thread accepts no more tasks. `worked` is whether the thread has answered at least once.
   * @throws Error if the process cannot start threads.
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

  /** The number of tasks in flight. */
  get load(): number {
    return this.#tasks.size
  }

  take(task: Task): void {
    const id = this.#next++
    try {
      this.#worker.postMessage({ id, data: task.order } satisfies Numbered, task.transfer)
    } catch {
      // A part of the task cannot be cloned for the thread.
      task.done(undefined)
      return
    }
    this.#tasks.set(id, task)
    if (this.#tasks.size > 1) return
    // Tasks in flight keep the process alive; an idle thread does not.
    this.#worker.ref()
    this.#watch()
  }

  /** Ends the thread. Tasks in flight are not carried out. Resolves when the thread has ended. */
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

  /** Restarts the time limit. Called for the first task and after every answer. */
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
