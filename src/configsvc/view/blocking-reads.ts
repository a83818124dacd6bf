/**
 * Reads that wait until what they read has changed. Between two looks they hold nothing: no transaction, no record.
 */
import type { Clock } from '../../core/base/clock.ts'
import type { Entropy } from '../../core/base/entropy.ts'
import type { Eventually } from '../../core/base/eventually.ts'
import type { Gate } from '../../core/exchange/gate.ts'
import type { Values } from '../../core/field/parse.ts'
import { jsonText } from '../../core/json/json-text.ts'
import type { ConfigCall } from '../call.ts'
import type { IndexFeed } from '../index/feed.ts'
import type { AnyConfigOperation } from '../operation.ts'
import type { ConfigRunner, Found } from './ask.ts'
import type { Wait } from './consistency.ts'

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
}

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
    return this.#wait(question, wait)
  }

  async #wait({ operation, input, call, signal }: Question, { index, milliseconds }: Wait): Promise<Found> {
    const { runner, feed, gate, clock } = this.#parts
    const { table } = operation
    const until = clock.now() + milliseconds + this.#jitter(milliseconds)
    let found = await runner.ask(operation, input, call, true)
    // What the client saw last is known here only where nothing has happened since.
    let seen = changedAt(operation, found) > index ? undefined : stateOf(operation, found.value)
    let past = index
    while (table && seen !== undefined) {
      gate.check()
      const left = until - clock.now()
      const wanted = { table, index: Math.max(past, found.index ?? 0), key: found.key }
      if (left <= 0 || !(await feed.passed(wanted, left, signal))) break
      found = await runner.ask(operation, input, call, true)
      past = found.index ?? past
      if (stateOf(operation, found.value) !== seen) seen = undefined
    }
    return found
  }

  #jitter(milliseconds: number): number {
    const [high = 0, low = 0] = this.#parts.entropy.bytes(2)
    return Math.floor(((high * 256 + low) / 65_536) * (milliseconds / JITTER))
  }
}

/** The index after which what was found did not change. */
const changedAt = ({ changedAt: of }: AnyConfigOperation, { value, index = 0 }: Found): number =>
  value === undefined || !of ? index : of(value)

/** Two results of a read that differ have different states. */
export function stateOf({ stateOf: of }: AnyConfigOperation, value: unknown): string {
  if (value === undefined) return ''
  return of ? of(value) : jsonText(value as object)
}
