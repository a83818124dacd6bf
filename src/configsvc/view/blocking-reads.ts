/**
 * Reads that wait until their result has changed. A waiting read holds no transaction, no record and no result: it keeps a hash of its last
 * result, and reads again before it answers.
 */
import type { Clock } from '../../core/base/clock.ts'
import type { Entropy } from '../../core/base/entropy.ts'
import type { Eventually } from '../../core/base/eventually.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Hash } from '../../core/crypto/backend.ts'
import type { Gate } from '../../core/exchange/gate.ts'
import type { Values } from '../../core/field/parse.ts'
import type { ConfigCall } from '../call.ts'
import type { Table } from '../index/counter.ts'
import type { IndexFeed } from '../index/feed.ts'
import type { AnyConfigOperation } from '../operation.ts'
import type { ConfigRunner, Found } from './ask.ts'
import type { Wait } from './consistency.ts'
import { stateSteps } from './state-hash.ts'

export interface Question {
  readonly operation: AnyConfigOperation
  readonly input: Values
  readonly call: ConfigCall
  /** Undefined: the answer is what holds now. */
  readonly wait: Wait | undefined
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined
}

export interface BlockingParts {
  readonly runner: ConfigRunner
  readonly feed: IndexFeed
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly hash: Hash
}

/** The state of the last result, which a waiting read compares with. */
interface Seen {
  readonly state: string
  readonly index: number
  readonly key: string | undefined
}

/** A result to answer with, or what is to be remembered of a result that the caller has already. */
type Look = { readonly found: Found } | { readonly seen: Seen }

/** The wait is longer by a random part of this fraction of it, so that those who began together do not ask together. */
const JITTER = 16

export class BlockingReads {
  readonly #parts: BlockingParts

  constructor(parts: BlockingParts) {
    this.#parts = parts
  }

  ask(question: Question): Eventually<Found> {
    const { operation, input, call, wait } = question
    if (!wait || !operation.table) return this.#parts.runner.ask(operation, input, call)
    return this.#wait(question, wait, operation.table)
  }

  /** A text that differs if the results of a read differ. */
  stateOf(operation: AnyConfigOperation, value: unknown): Promise<string> {
    const { clock, hash } = this.#parts
    return new Slices(clock).drive(stateSteps(operation, value, hash))
  }

  async #wait(question: Question, { index, milliseconds }: Wait, table: Table): Promise<Found> {
    const { runner, feed, gate, clock } = this.#parts
    const { operation, input, call, signal } = question
    const until = clock.now() + milliseconds + this.#jitter(milliseconds)
    let seen: Seen | undefined
    for (;;) {
      const look = await this.#look(question, index, seen)
      if ('found' in look) return look.found
      seen = look.seen
      gate.check()
      const left = until - clock.now()
      const { key } = seen
      if (!(left > 0 && (await feed.passed({ table, index: seen.index, key }, left, signal)))) break
    }
    // The rights of the caller may have changed during the wait, and nothing was kept to answer with.
    return runner.ask(operation, input, call)
  }

  /** Its own function: a suspended one would keep its variables alive, and with them the result. */
  async #look({ operation, input, call }: Question, index: number, before: Seen | undefined): Promise<Look> {
    const found = await this.#parts.runner.ask(operation, input, call, true)
    // The last state that the client saw is known here only if nothing has changed since.
    if (!before && changedAt(operation, found) > index) return { found }
    const state = await this.stateOf(operation, found.value)
    if (before && state !== before.state) return { found }
    return { seen: { state, index: Math.max(before?.index ?? index, found.index ?? 0), key: found.key } }
  }

  #jitter(milliseconds: number): number {
    const [high = 0, low = 0] = this.#parts.entropy.bytes(2)
    return Math.floor(((high * 256 + low) / 65_536) * (milliseconds / JITTER))
  }
}

/** The index after which what was found did not change. */
const changedAt = ({ changedAt: of }: AnyConfigOperation, { value, index = 0 }: Found): number =>
  value === undefined || !of ? index : of(value)
