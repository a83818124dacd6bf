/**
 * Runs operations on the records of one place, whichever service they belong to.
 */
import { OPERATION_KINDS, type OperationKind } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { CallBase, TxOf } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { conclude } from './transact.ts'
import type { Transaction } from './transaction.ts'
import { CachedView } from './view.ts'

export interface Outcome<T> {
  readonly value: T
  readonly warnings: readonly string[] | undefined
}

/** An operation on records, as it is run. */
export interface Runnable<T> {
  readonly kind: OperationKind
  readonly run: (tx: T, input: Values) => Values | undefined
}

export interface RunnerCall<T> extends CallBase {
  /** Judges the caller again inside the transaction, where the basis of the judgement may have changed since. */
  readonly recheck: ((tx: T) => void) | undefined
}

/** `C` is what the service knows of a call, `T` what its operations may do. */
export class Runner<C extends RunnerCall<T>, T extends TxOf<C>> {
  /** One view serves every request, because a run is synchronous. */
  readonly view: CachedView<C> & T
  readonly #host: Host
  readonly #place: Place

  constructor(host: Host, place: Place) {
    this.#host = host
    this.#place = place
    // A view has the methods of every service; those of another service are not in `T`.
    this.view = new CachedView<C>(host, place) as CachedView<C> & T
  }

  /** Runs a lookup as a separate read. */
  look<R>(body: (tx: T) => R, call: C): R | Promise<R> {
    try {
      this.view.begin(call)
      return body(this.view)
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return this.lookSlowly(body, call)
  }

  /** {@link look} in a transaction, which tells listeners of a refusal. */
  async lookSlowly<R>(body: (tx: T) => R, call: C): Promise<R> {
    const { value } = await conclude(this.#host, this.#place, call, 'read', this.#onRecords(body))
    return value
  }

  /** Answers at once, without a promise, where all that the operation reads is cached; undefined where it has to be run slowly. */
  cached(op: Runnable<T>, input: Values, call: C): Outcome<Values | undefined> | undefined {
    if (!OPERATION_KINDS[op.kind].startsCached) return undefined
    const { view } = this
    try {
      view.begin(call)
      call.recheck?.(view)
      const value = op.run(view, input)
      // Records cached at different moments can add up to "not there". Only a transaction compares their versions.
      if (value !== undefined || !this.#host.store.storage.caps.shared) return { value, warnings: view.warnings }
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return undefined
  }

  /** Runs the operation in a transaction. @param within The application's open transaction, which the commit joins. */
  slowly(op: Runnable<T>, input: Values, call: C, within?: unknown): Promise<Outcome<Values | undefined>> {
    const body = (tx: T): Values | undefined => {
      call.recheck?.(tx)
      return op.run(tx, input)
    }
    return conclude(this.#host, this.#place, call, OPERATION_KINDS[op.kind].access, this.#onRecords(body), within)
  }

  /** A transaction has the methods of every service; those of another service are not in `T`. */
  #onRecords<R>(body: (tx: T) => R): (tx: Transaction<C>) => R {
    return body as unknown as (tx: Transaction<C>) => R
  }
}
