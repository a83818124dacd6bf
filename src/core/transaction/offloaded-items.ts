/**
 * Sends batch items to worker threads in messages of several items, and collects the results in the order in which the items were sent.
 */
import type { Slices } from '../base/slices.ts'
import type { OffloadTask } from '../contract/offload-task.ts'
import type { Work } from '../contract/tx.ts'

/** The estimated cost of packing and unpacking an item on the event loop. */
const CARRY_MICROSECONDS = 2

interface OffloadedItem<T> {
  readonly index: number
  readonly task: OffloadTask<T>
}

interface SentChunk<T> {
  readonly items: readonly OffloadedItem<T>[]
  readonly answer: Promise<readonly unknown[] | undefined>
}

export class OffloadedItems<T> {
  readonly #slices: Slices
  readonly #runHere: (index: number, work: Work<T>) => Promise<void> | undefined
  readonly #onResult: (index: number, use: () => T) => void
  readonly #sent: SentChunk<T>[] = []
  #chunk: OffloadedItem<T>[] = []
  #weight = 0

  /**
   * @param runHere Computes an item on the event loop.
   * @param onResult Receives the result of an item that a thread computed.
   */
  constructor(
    slices: Slices,
    runHere: (index: number, work: Work<T>) => Promise<void> | undefined,
    onResult: (index: number, use: () => T) => void,
  ) {
    this.#slices = slices
    this.#runHere = runHere
    this.#onResult = onResult
  }

  /** Queues an item. Returns a promise if the caller has to wait. @param weight Estimated microseconds. */
  add(index: number, task: OffloadTask<T>, weight: number): Promise<void> | undefined {
    this.#chunk.push({ index, task })
    this.#weight += weight
    return this.#weight >= task.worker.messageMicroseconds ? this.#send() : undefined
  }

  /** Resolves when all items are done. */
  async end(): Promise<void> {
    const [next] = this.#chunk
    if (next && this.#weight >= next.task.worker.minMicroseconds) await this.#send()
    for (const { index, task } of this.#chunk) await this.#runHere(index, task.local)
    for (let oldest = this.#sent.shift(); oldest; oldest = this.#sent.shift()) await this.#take(oldest)
  }

  async #send(): Promise<void> {
    const items = this.#chunk
    const { worker } = (items[0] as OffloadedItem<T>).task
    this.#chunk = []
    this.#weight = 0
    const answer = worker.run(
      items.map(({ task }) => task),
      this.#slices.signal,
    )
    this.#sent.push({ items, answer })
    if (this.#slices.spend(items.length * CARRY_MICROSECONDS)) await this.#slices.giveWay()
    if (this.#sent.length >= worker.maxMessages) await this.#take(this.#sent.shift() as SentChunk<T>)
  }

  async #take({ items, answer }: SentChunk<T>): Promise<void> {
    let results: readonly unknown[] | undefined
    await this.#slices.wait(
      answer.then((received) => {
        results = received
      }),
    )
    for (let at = 0; at < items.length; at++) {
      const { index, task } = items[at] as OffloadedItem<T>
      const result = results?.[at]
      if (result === undefined) await this.#runHere(index, task.local)
      else this.#onResult(index, () => task.useResult(result as never))
    }
    if (this.#slices.spend(items.length * CARRY_MICROSECONDS)) await this.#slices.giveWay()
  }
}
