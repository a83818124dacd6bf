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

/**
 * Runs the operations of one service on one keyspace. `C` is the type of the service's calls. `T` is the transaction interface that the
 * service's operations receive.
 */
export class Runner<C extends RunnerCall<T>, T extends TxOf<C>> {
  /** Serves every request: a run of an operation on cached records is synchronous, so there is only one at a time. */
  readonly view: CachedView<C> & T
  readonly #host: Host
  readonly #keyspace: Keyspace

  constructor(host: Host, keyspace: Keyspace) {
    this.#host = host
    this.#keyspace = keyspace
    // The cast is safe: `CachedView` implements the methods of the transaction interfaces of all services, and `T` is one of these
    // interfaces.
    this.view = new CachedView<C>(host, keyspace) as CachedView<C> & T
  }

  /** Runs a lookup that is not part of an operation: on cached records if possible, otherwise in a transaction. */
  read<R>(body: (tx: T) => R, call: C): R | Promise<R> {
    try {
      this.view.begin(call)
      return body(this.view)
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return this.readInTransaction(body, call)
  }

  /** Runs a lookup in a transaction. Unlike a lookup on cached records, it publishes the event that is attached to a refusal. */
  async readInTransaction<R>(body: (tx: T) => R, call: C): Promise<R> {
    const { value } = await transactAndEnd(this.#host, this.#keyspace, call, 'read', this.#onRecords(body))
    return value
  }

  /**
   * Runs the operation without a promise if all records that it reads are cached. Returns undefined if the operation needs a transaction.
   */
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

  /**
   * The cast is safe: `Transaction` implements the methods of the transaction interfaces of all services, and `T` is one of these
   * interfaces.
   */
  #onRecords<R>(body: (tx: T) => R): (tx: Transaction<C>) => R {
    return body as unknown as (tx: Transaction<C>) => R
  }
}
