/** A cluster in its own process, which the test starts, kills, restarts, and sends one command at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from '../../fixtures/child.ts'
import type { Answers, ChildMessage, ParentMessage, SiteArguments, Status } from './site.child.ts'

export const PROGRAM = 'test/replication/failovers/site.child.ts'

/** Only a process that hangs takes longer. */
const PATIENCE_MS = 120_000

export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export class SiteProcess {
  readonly args: SiteArguments
  /** The acknowledged writes of all its processes. */
  readonly wrote: string[] = []
  #child: Child | undefined
  #listening: Promise<void> = Promise.resolve()
  #answers: ChildMessage[] = []
  #isOpen = false
  #ended: unknown

  constructor(args: SiteArguments) {
    this.args = args
  }

  async start(): Promise<void> {
    const child = startChild(PROGRAM, this.args)
    this.#child = child
    this.#isOpen = false
    this.#ended = undefined
    this.#answers = []
    this.#listening = this.#listen(child)
    this.#listening.then(
      () => {
        this.#ended = new Error('it has ended')
      },
      (error: unknown) => {
        this.#ended = error
      },
    )
    await this.#until(() => this.#isOpen, 'its opening')
  }

  async #listen(child: Child): Promise<void> {
    for await (const message of child.messages as AsyncIterable<ChildMessage>) {
      if (message.type === 'open') this.#isOpen = true
      else if (message.type === 'wrote') this.wrote.push(message.what)
      else this.#answers.push(message)
    }
    await child.ended
  }

  async #until(is: () => boolean, what: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; !is(); await sleep(5)) {
      if (this.#ended !== undefined) throw new Error(`waited in vain for ${what}`, { cause: this.#ended })
      if (Date.now() > deadline) throw new Error(`waited too long for ${what}`)
    }
  }

  /** @throws Refusal */
  async ask<K extends ParentMessage['ask']>(
    message: Extract<ParentMessage, { readonly ask: K }>,
  ): Promise<K extends keyof Answers ? Answers[K] : undefined>
  async ask(message: ParentMessage): Promise<unknown> {
    this.#child?.send(message)
    await this.#until(() => this.#answers.length > 0, `the answer to ${message.ask}`)
    const answer = this.#answers.shift()
    if (answer?.type === 'refused') throw new Refusal(answer.status, answer.message)
    return answer?.type === 'answer' ? answer.value : undefined
  }

  /** Repeats a command while it fails as not possible yet. A function creates the command for each attempt. */
  async insist<K extends ParentMessage['ask']>(
    message:
      | Extract<ParentMessage, { readonly ask: K }>
      | ((attempt: number) => Promise<Extract<ParentMessage, { readonly ask: K }>>),
  ): Promise<K extends keyof Answers ? Answers[K] : undefined> {
    const deadline = Date.now() + PATIENCE_MS
    for (let attempt = 0; ; attempt++) {
      const request = typeof message === 'function' ? await message(attempt) : message
      try {
        return await this.ask<K>(request)
      } catch (error) {
        const isLater = error instanceof Refusal && (error.status === 503 || error.status === 502)
        if (!isLater || Date.now() > deadline) throw error
      }
      await sleep(50)
    }
  }

  /** Waits for this many further acknowledged writes, all made after this call. */
  async untilWrote(more: number): Promise<void> {
    // The answer arrives after all earlier messages about writes.
    await this.ask({ ask: 'status' })
    const expected = this.wrote.length + more
    await this.#until(() => this.wrote.length >= expected, `${more} writes`)
  }

  async untilStatus(is: (status: Status) => boolean, what: string): Promise<Status> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const status = await this.ask({ ask: 'status' })
      if (is(status)) return status
      if (Date.now() > deadline) throw new Error(`waited too long for ${what}: ${JSON.stringify(status)}`)
    }
  }

  /** @throws if the process had ended by itself. */
  async kill(): Promise<void> {
    this.#child?.kill()
    await this.#listening
    if ((await this.#child?.ended) !== 'killed') throw new Error('it has ended by itself')
  }

  pause(): void {
    this.#child?.pause()
  }

  resume(): void {
    this.#child?.resume()
  }

  async end(): Promise<void> {
    this.#child?.send({ ask: 'end' } satisfies ParentMessage)
    await this.#listening
  }
}
