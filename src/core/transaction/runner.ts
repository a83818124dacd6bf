/**
 * Runs the operations of any service on the records of one keyspace.
 */
import { OPERATION_KINDS, type OperationKind } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { CallBase, TxOf } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import { CachedView } from './cached-view.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { transactAndEnd } from './transact.ts'
import type { Transaction } from './transaction.ts'

export interface OperationOutcome<T> {
  readonly value: T
  readonly warnings: readonly string[] | undefined
}

/** The part of an operation that the runner needs. */
export interface Runnable<T> {
  readonly kind: OperationKind
  readonly run: (tx: T, input: Values) => Values | undefined
}

export interface RunnerCall<T> extends CallBase {
  /** Authorizes the caller again inside the transaction, if the records on which the decision was based may have changed since. */
  readonly recheck: ((tx: T) => void) | undefined
}

/** `C` is the type of the service's calls. `T` is the transaction interface that the service's operations receive. */
export class Runner<C extends RunnerCall<T>, T extends TxOf<C>> {
  /** One view serves every request, because a run is synchronous. */
  readonly view: CachedView<C> & T
  readonly #host: Host
  readonly #keyspace: Keyspace

  constructor(host: Host, keyspace: Keyspace) {
    this.#host = host
    this.#keyspace = keyspace
    // The view has the methods of all services; `T` has only the methods of this service.
    this.view = new CachedView<C>(host, keyspace) as CachedView<C> & T
  }

  /** Runs a lookup as a read of its own. */
  read<R>(body: (tx: T) => R, call: C): R | Promise<R> {
    try {
      this.view.begin(call)
      return body(this.view)
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return this.readInTransaction(body, call)
  }

  /** {@link read} in a transaction, which also publishes the event of a refusal. */
  async readInTransaction<R>(body: (tx: T) => R, call: C): Promise<R> {
    const { value } = await transactAndEnd(this.#host, this.#keyspace, call, 'read', this.#onRecords(body))
    return value
  }

  /** Runs without a promise if all records that the operation reads are cached; undefined if it needs a transaction. */
  runCached(op: Runnable<T>, input: Values, call: C): OperationOutcome<Values | undefined> | undefined {
    if (!OPERATION_KINDS[op.kind].startsCached) return undefined
    const { view } = this
    try {
      view.begin(call)
      call.recheck?.(view)
      const value = op.run(view, input)
      // Records that were cached at different times can, taken together, show a state that never existed. Only a transaction compares their
      // versions.
      if (value !== undefined || !this.#host.store.storage.caps.shared) return { value, warnings: view.warnings }
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return undefined
  }

  /** Runs the operation in a transaction. @param within The open transaction of the application, which the commit joins. */
  runInTransaction(op: Runnable<T>, input: Values, call: C, within?: unknown): Promise<OperationOutcome<Values | undefined>> {
    const body = (tx: T): Values | undefined => {
      call.recheck?.(tx)
      return op.run(tx, input)
    }
    return transactAndEnd(this.#host, this.#keyspace, call, OPERATION_KINDS[op.kind].access, this.#onRecords(body), within)
  }

  /** A transaction has the methods of all services; `T` has only the methods of this service. */
  #onRecords<R>(body: (tx: T) => R): (tx: Transaction<C>) => R {
    return body as unknown as (tx: Transaction<C>) => R
  }
}
