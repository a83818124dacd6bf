/**
 * One thread, from its start to its end.
 */
import { Worker } from 'node:worker_threads'

/** An order on its way to the thread, or the answer on its way back. */
export interface Numbered {
  readonly id: number
  readonly data: unknown
}

export interface Task {
  readonly order: object
  readonly transfer: readonly ArrayBuffer[]
  /** Called once, with undefined where the order was not carried out. */
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
   * @param answered Called behind every answer.
   * @param ended Called once, when it takes no more tasks; `worked`: it has answered at least one.
   * @throws where the process may not start threads.
   */
  constructor(program: URL, timeoutMs: number, answered: () => void, ended: (thread: Thread, worked: boolean) => void) {
    this.#timeoutMs = timeoutMs
    this.#answered = answered
    this.#ended = ended
    // Nothing of the process but its version: neither its flags nor its environment.
    this.#worker = new Worker(program, { execArgv: [], env: {}, name: 'strongroom' })
    this.#worker.on('message', (message: Numbered) => this.#answer(message))
    for (const event of ['error', 'messageerror', 'exit'] as const) this.#worker.on(event, () => this.#end())
    this.#worker.unref()
  }

  /** Tasks under way. */
  get load(): number {
    return this.#tasks.size
  }

  take(task: Task): void {
    const id = this.#next++
    try {
      this.#worker.postMessage({ id, data: task.order } satisfies Numbered, task.transfer)
    } catch {
      // Something in it cannot be cloned.
      task.done(undefined)
      return
    }
    this.#tasks.set(id, task)
    if (this.#tasks.size > 1) return
    // A process waits for tasks under way, and for no idle thread.
    this.#worker.ref()
    this.#watch()
  }

  /** Tasks under way are not carried out. Resolves when the thread is gone. */
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

  /** Every answer gives it as long again. */
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
