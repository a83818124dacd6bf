/** Runs batch operations for calls that are not batches, with one item each. */
import { Slices } from '../base/slices.ts'
import { isSteps, runToEnd, type Steps } from '../base/steps.ts'
import type { Counter } from '../contract/counter.ts'
import { type AnyBatch, OPERATION_KINDS } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { Call, Tx, Work } from '../contract/tx.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { OneItem } from './batch.ts'
import type { StoredCounter } from './counter.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { runOrForward } from './run-or-forward.ts'
import type { OperationOutcome, Runner } from './runner.ts'
import { transact } from './transact.ts'

export class ItemRunner {
  readonly #host: Host
  readonly #keyspace: Keyspace
  readonly #runner: Runner<Call, Tx>
  readonly #singleItem = new OneItem()

  constructor(host: Host, keyspace: Keyspace, runner: Runner<Call, Tx>) {
    this.#host = host
    this.#keyspace = keyspace
    this.#runner = runner
  }

  /**
   * Runs the operation for a call. This is the hot path.
   * @param isFresh Whether the caches were found to be fresh in this turn of the event loop. Reading the clock again would take a tenth of
   * the call's time.
   */
  run(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal?: AbortSignal,
    isFresh = false,
  ): OperationOutcome<Values> | Promise<OperationOutcome<Values>> {
    const cached = this.#runOnCached(op, input, item, call, signal, isFresh)
    if (cached) return cached
    const { exhausted } = this.#runner.view
    // For typed calls, `input` and `item` are the same object. Copy it only once.
    const own = ownBytes(item)
    const ownInput = input === item ? own : ownBytes(input)
    return exhausted
      ? this.#runAfterReservation(exhausted, op, ownInput, own, call, signal)
      : this.#runOrForward(op, ownInput, own, call, signal)
  }

  /** Returns undefined if the call needs a transaction. */
  #runOnCached(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
    isFresh: boolean,
  ): OperationOutcome<Values> | Promise<OperationOutcome<Values>> | undefined {
    const { view } = this.#runner
    try {
      const outcome = this.#outcomeOnCached(op, input, item, call, isFresh)
      if (!isSteps(outcome)) return { value: outcome, warnings: view.warnings }
      const { warnings } = view
      const pins = view.pinUsed()
      return new Slices(this.#host.clock, signal)
        .drive(outcome)
        .then((value) => ({ value, warnings }))
        .finally(() => {
          for (const pin of pins) pin.unpin()
        })
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
      return undefined
    }
  }

  /** @throws a signal if the call needs a transaction */
  #outcomeOnCached(op: AnyBatch, input: Values, item: Values, call: Call, isFresh: boolean): Values | Steps<Values> {
    const { view } = this.#runner
    view.begin(call, isFresh)
    call.recheck?.(view)
    const state: unknown = op.open(view, input, this.#singleItem.of(item))
    return op.admit(state, item)() as Values | Steps<Values>
  }

  /** Reserves uses of a key, which needs no transaction. If that fails, the transaction repeats it and reports the failure. */
  async #runAfterReservation(
    counter: StoredCounter,
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<Values>> {
    await counter.ensure(1).catch(() => {})
    return this.#runOnCached(op, input, item, call, signal, false) ?? this.#runOrForward(op, input, item, call, signal)
  }

  /** Does the same as {@link run}, but synchronously. Returns undefined if the call would have to wait for records or keys. */
  runSync(op: AnyBatch, input: Values, call: Call, isFresh: boolean): OperationOutcome<Values> | undefined {
    const { view } = this.#runner
    try {
      const outcome = this.#outcomeOnCached(op, input, input, call, isFresh)
      return { value: isSteps(outcome) ? runToEnd(outcome) : outcome, warnings: view.warnings }
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
      return undefined
    }
  }

  /** Loads the records and keys that {@link runSync} needs. This may count a use of the key although nothing is encrypted. */
  async load(op: AnyBatch, input: Values, call: Call): Promise<void> {
    await this.#runner.readInTransaction((tx) => {
      op.admit(op.open(tx, input, new OneItem().of(input)), input)
    }, call)
  }

  /** Loads the records that `load` reads, and reserves `reserve` uses of the counter that `load` returns. @throws KernelError */
  async preload(load: (tx: Tx) => Counter | undefined, call: Call, reserve: number): Promise<void> {
    const counter = await this.#runner.read(load, call)
    await (counter as StoredCounter | undefined)?.ensure(reserve)
  }

  /**
   * Whether every record that `load` reads is cached, and the counter that `load` returns has a reserved use left. @throws KernelError if
   * `load` throws one.
   */
  isLoaded(load: (tx: Tx) => Counter | undefined, call: Call): boolean {
    const { view } = this.#runner
    try {
      view.begin(call)
      const counter = load(view)
      return counter === undefined || counter.left > 0
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
      return false
    }
  }

  async #runOrForward(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<Values>> {
    return runOrForward(this.#host, call, undefined, { operation: op, call, input, item }, () =>
      this.runInTransaction(op, input, item, call, signal),
    )
  }

  /** Runs the operation in a transaction on this cluster, and never forwards it. */
  async runInTransaction(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<Values>> {
    const items = new OneItem().of(item)
    const { value: work, tx } = await transact(this.#host, this.#keyspace, call, OPERATION_KINDS[op.kind].access, (run) => {
      call.recheck?.(run)
      const state: unknown = op.open(run, input, items)
      return op.admit(state, item) as Work<Values>
    })
    try {
      const outcome = work()
      const value = isSteps(outcome) ? await new Slices(this.#host.clock, signal).drive(outcome) : outcome
      return { value, warnings: tx.warnings }
    } finally {
      tx.end()
    }
  }
}
