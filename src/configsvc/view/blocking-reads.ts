/**
 * Reads that wait until their result has changed. While a read waits, it holds no transaction, record or result, but only a hash of its
 * last result. It reads again before it responds.
 */
import type { Clock } from '../../core/base/clock.ts'
import type { Entropy } from '../../core/base/entropy.ts'
import type { MaybePromise } from '../../core/base/maybe-promise.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Hash } from '../../core/crypto/backend.ts'
import type { Gate } from '../../core/exchange/gate.ts'
import type { Values } from '../../core/field/parse.ts'
import type { ConfigCall } from '../call.ts'
import type { IndexedTable } from '../index/counter.ts'
import type { IndexFeed } from '../index/feed.ts'
import type { AnyConfigOperation } from '../operation.ts'
import type { ConfigRunner, OperationResult } from './config-runner.ts'
import type { Wait } from './consistency.ts'
import { stateSteps } from './state-hash.ts'

export interface ReadRequest {
  readonly operation: AnyConfigOperation
  readonly input: Values
  readonly call: ConfigCall
  /** Undefined: respond with the current result at once. */
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

/** The properties of the last result that a waiting read must remember. */
interface SeenState {
  readonly state: string
  readonly index: number
  readonly key: string | undefined
}

/** A result to respond with, or what to remember of a result that the caller already has. */
type ReadAttempt = { readonly found: OperationResult } | { readonly seen: SeenState }

/** A wait is extended by a random time of up to 1/16, so that clients that started together do not all read again at the same time. */
const JITTER_DIVISOR = 16

export class BlockingReads {
  readonly #parts: BlockingParts

  constructor(parts: BlockingParts) {
    this.#parts = parts
  }

  read(question: ReadRequest): MaybePromise<OperationResult> {
    const { operation, input, call, wait } = question
    if (!wait || !operation.table) return this.#parts.runner.run(operation, input, call)
    return this.#wait(question, wait, operation.table)
  }

  /** Returns a fingerprint of a read's result: different results have different fingerprints. */
  stateOf(operation: AnyConfigOperation, value: unknown): Promise<string> {
    const { clock, hash } = this.#parts
    return new Slices(clock).drive(stateSteps(operation, value, hash))
  }

  async #wait(question: ReadRequest, { index, milliseconds }: Wait, table: IndexedTable): Promise<OperationResult> {
    const { runner, feed, gate, clock } = this.#parts
    const { operation, input, call, signal } = question
    const until = clock.now() + milliseconds + this.#jitter(milliseconds)
    let seen: SeenState | undefined
    for (;;) {
      const look = await this.#attempt(question, index, seen)
      if ('found' in look) return look.found
      seen = look.seen
      gate.check()
      const left = until - clock.now()
      const { key } = seen
      if (!(left > 0 && (await feed.waitForChange({ table, index: seen.index, key }, left, signal)))) break
    }
    // Read again, because the permissions of the caller may have changed during the wait, and because no result was kept.
    return runner.run(operation, input, call)
  }

  /** This is a separate function so that its result is not kept in memory during the wait: a suspended function keeps its variables alive. */
  async #attempt({ operation, input, call }: ReadRequest, index: number, before: SeenState | undefined): Promise<ReadAttempt> {
    const found = await this.#parts.runner.run(operation, input, call, true)
    // If nothing has changed since the client's last read, the client has seen the current result. In any other case, it is unknown which
    // result the client has seen.
    if (!before && lastChangeIndex(operation, found) > index) return { found }
    const state = await this.stateOf(operation, found.value)
    if (before && state !== before.state) return { found }
    return { seen: { state, index: Math.max(before?.index ?? index, found.index ?? 0), key: found.key } }
  }

  #jitter(milliseconds: number): number {
    const [high = 0, low = 0] = this.#parts.entropy.bytes(2)
    return Math.floor(((high * 256 + low) / 65_536) * (milliseconds / JITTER_DIVISOR))
  }
}

/** An index after which the result has not changed. */
const lastChangeIndex = ({ modifyIndexOf: of }: AnyConfigOperation, { value, index = 0 }: OperationResult): number =>
  value === undefined || !of ? index : of(value)
