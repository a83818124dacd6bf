/**
 * A cluster in its own process, which the test starts, kills and restarts, with its latest messages.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from '../../fixtures/child.ts'
import type { ChildMessage, ClusterArguments, ParentMessage } from './cluster.child.ts'
import type { Ledger } from './ledger.ts'

/** Only a process that hangs takes longer. */
const PATIENCE_MS = 120_000

const PROGRAM = 'test/replication/processes/cluster.child.ts'

export class Cluster {
  readonly #given: Omit<ClusterArguments, 'turn'>
  readonly #ledger: Ledger
  #child: Child | undefined
  #listening: Promise<void> = Promise.resolve()
  #turn = 0
  #heard: ChildMessage[] = []
  /** The latest mode that the current process reported. */
  mode: string | undefined
  streams = false
  /** The number of consistency checks of all its processes; `torn` has their failures. */
  looks = 0
  readonly torn: string[] = []

  constructor(args: Omit<ClusterArguments, 'turn'>, ledger: Ledger) {
    this.#given = args
    this.#ledger = ledger
  }

  get name(): string {
    return this.#given.name
  }

  start(): void {
    const child = startChild(PROGRAM, { ...this.#given, turn: ++this.#turn })
    this.#child = child
    this.mode = undefined
    this.streams = false
    this.#heard = []
    this.#listening = this.#listen(child)
    this.#listening.catch(() => {})
  }

  async #listen(child: Child): Promise<void> {
    for await (const message of child.messages as AsyncIterable<ChildMessage>) {
      if (message.type === 'open') this.mode = message.mode
      else if (message.type === 'joined') this.mode = 'secondary'
      else if (message.type === 'streams') this.streams = true
      else if (message.type === 'begins') this.#ledger.begins(message.lane, message.step)
      else if (message.type === 'done') this.#ledger.done(message.lane)
      else if (message.type === 'looked') {
        this.looks++
        if (message.torn !== undefined) this.torn.push(message.torn)
      } else this.#heard.push(message)
    }
    await child.ended
  }

  send(message: ParentMessage): void {
    this.#child?.send(message)
  }

  async ask<K extends 'token' | 'status' | 'contents'>(
    message: ParentMessage,
    kind: K,
  ): Promise<ChildMessage & { readonly type: K }> {
    this.#heard = []
    this.send(message)
    await this.until(() => this.#heard.length > 0, `the ${kind}`)
    return this.#heard[0] as ChildMessage & { readonly type: K }
  }

  /** Waits for a condition. Fails if the process ends before. */
  async until(is: () => boolean, what: string): Promise<void> {
    let ended: unknown
    this.#listening.then(
      () => {
        ended = new Error('it has ended')
      },
      (error: unknown) => {
        ended = error
      },
    )
    for (const deadline = Date.now() + PATIENCE_MS; !is(); await sleep(5)) {
      if (ended !== undefined) throw new Error(`${this.name}: waited in vain for ${what}`, { cause: ended })
      if (Date.now() > deadline) throw new Error(`${this.name}: waited too long for ${what}`)
    }
  }

  /** @throws if the process had ended by itself. */
  async kill(): Promise<void> {
    this.#child?.kill()
    await this.#listening
    if ((await this.#child?.ended) !== 'killed') throw new Error(`${this.name} has ended by itself`)
    this.#ledger.cut(this.name)
  }

  async end(): Promise<void> {
    this.send({ ask: 'end' })
    await this.#listening
  }
}
