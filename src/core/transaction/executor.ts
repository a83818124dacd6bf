/**
 * Runs operations on parsed input. Both typed calls and calls by path use it.
 */
import { Slices } from '../base/slices.ts'
import { isSteps, runToEnd, type Steps } from '../base/steps.ts'
import type { Counter } from '../contract/counter.ts'
import { type AnyBatch, type AnyOperation, type AnySingle, type Items, OPERATION_KINDS } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { Call, Tx, Work } from '../contract/tx.ts'
import type { Fields } from '../field/field.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { admitAll, type BatchItems, hasValue, OneItem, settleAll } from './batch.ts'
import type { StoredCounter } from './counter.ts'
import { EffectRunner } from './effects.ts'
import { EntityOnPrimaryError, type ForwardedCall } from './forwarding.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { type OperationOutcome, Runner } from './runner.ts'
import { transact } from './transact.ts'

/** The maximum number of entity requests per login. A concurrent login can make a further request necessary. */
const MAX_ENTITY_REQUESTS = 3

export class Executor {
  /** Runs operations that call outside systems. */
  readonly effects: EffectRunner
  readonly #host: Host
  readonly #keyspace: Keyspace
  readonly #runner: Runner<Call, Tx>
  readonly #singleItem = new OneItem()

  constructor(host: Host, keyspace: Keyspace) {
    this.#host = host
    this.#keyspace = keyspace
    this.#runner = new Runner(host, keyspace)
    this.effects = new EffectRunner(host, keyspace)
  }

  /** Runs a lookup as a separate read, before the operation. */
  read<T>(body: (tx: Tx) => T, call: Call): T | Promise<T> {
    return this.#runner.read(body, call)
  }

  /**
   * Runs an operation that is not a batch. Returns the result without a promise if the operation is a read and all its records are cached.
   */
  single(
    op: AnySingle,
    input: Values,
    call: Call,
    within?: unknown,
  ): OperationOutcome<Values | undefined> | Promise<OperationOutcome<Values | undefined>> {
    if (op.control) return this.#runControl(op.control, input, call, within)
    if (op.effectWork) return this.#runEffect(op, op.effectWork, input, call, within)
    if (!OPERATION_KINDS[op.kind].joinsTransaction && within !== undefined)
      throw new TypeError('transaction: only an operation that always writes can be part of a transaction')
    return this.#runner.runCached(op, input, call) ?? this.#singleInTransaction(op, ownBytes(input), call, within)
  }

  /** Authorizes a caller by credentials in the request's parameters. @throws KernelError */
  async authorize(authorizer: NonNullable<AnyOperation['authorizes']>, sent: Values, call: Call): Promise<void> {
    const { env, clock } = this.#host
    await authorizer({ env, call, now: clock.now(), warn: () => {} }, sent)
  }

  async #runControl(
    control: NonNullable<AnySingle['control']>,
    input: Values,
    call: Call,
    within: unknown,
  ): Promise<OperationOutcome<Values | undefined>> {
    if (within !== undefined)
      throw new TypeError('transaction: an operation on the kernel itself cannot be part of a transaction')
    const { env, clock } = this.#host
    const warnings: string[] = []
    const warn = (message: string): void => void warnings.push(message)
    const value = (await control({ env, call, now: clock.now(), warn }, ownBytes(input))) as Values | undefined
    return { value, warnings }
  }

  async #runEffect(
    op: AnySingle,
    work: NonNullable<AnySingle['effectWork']>,
    input: Values,
    call: Call,
    within: unknown,
  ): Promise<OperationOutcome<Values | undefined>> {
    if (within !== undefined)
      throw new TypeError('transaction: an operation that calls an outside system cannot be part of a transaction')
    const own = ownBytes(input)
    return this.#runOrForward(call, within, { operation: op, call, input: own }, () => this.effects.run(work, own, call))
  }

  /**
   * Runs a call that another cluster forwarded, and never forwards the call again. The call always runs in a transaction, because only a
   * transaction proves that its caller is still allowed to make the call. Cached records could be outdated.
   */
  runForwarded({ operation, call, input, item, items }: ForwardedCall): Promise<OperationOutcome<unknown>> {
    if (operation.batch) {
      if (items) return this.#runBatch(operation, input, items, call, undefined)
      return this.#runItem(operation, input, item ?? input, call, undefined)
    }
    if (operation.control) throw new TypeError('an operation on the kernel itself cannot be forwarded')
    if (operation.effectWork) return this.effects.run(operation.effectWork, input, call)
    return this.#runner.runInTransaction(operation, input, call)
  }

  /**
   * Calls `work`, which runs the operation on this cluster. If that fails because only the primary may write the records, forwards the call
   * to the primary. If the login needs an entity that only the primary can create, requests the entity and calls `work` again.
   */
  async #runOrForward<T>(
    call: Call,
    within: unknown,
    forwarded: ForwardedCall,
    work: () => Promise<OperationOutcome<T>>,
  ): Promise<OperationOutcome<T>> {
    const { forwarding } = this.#host
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof EntityOnPrimaryError && forwarding.forwarder && tries <= MAX_ENTITY_REQUESTS)
          await forwarding.forwarder.requestEntity(error.request)
        else if (forwarding.canForward(error, call, within))
          return (await forwarding.forwarder?.run(forwarded)) as OperationOutcome<T>
        else throw error
      }
    }
  }

  async #singleInTransaction(
    op: AnySingle,
    input: Values,
    call: Call,
    within?: unknown,
  ): Promise<OperationOutcome<Values | undefined>> {
    return this.#runOrForward(call, within, { operation: op, call, input }, () =>
      this.#runner.runInTransaction(op, input, call, within),
    )
  }

  /**
   * Runs a batch operation for a call that is not a batch. This is the hot path.
   * @param isFresh Whether the caches were found to be fresh in this turn of the event loop. Reading the clock again would take a tenth of
   * the call's time.
   */
  item(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal?: AbortSignal,
    isFresh = false,
  ): OperationOutcome<Values> | Promise<OperationOutcome<Values>> {
    const cached = this.#itemOnCached(op, input, item, call, signal, isFresh)
    if (cached) return cached
    const { exhausted } = this.#runner.view
    // For typed calls, `input` and `item` are the same object. Copy it only once.
    const own = ownBytes(item)
    const ownInput = input === item ? own : ownBytes(input)
    return exhausted
      ? this.#itemAfterReservation(exhausted, op, ownInput, own, call, signal)
      : this.#itemInTransaction(op, ownInput, own, call, signal)
  }

  /** Returns undefined if the call needs a transaction. */
  #itemOnCached(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
    isFresh: boolean,
  ): OperationOutcome<Values> | Promise<OperationOutcome<Values>> | undefined {
    const { view } = this.#runner
    try {
      view.begin(call, isFresh)
      call.recheck?.(view)
      const state: unknown = op.open(view, input, this.#singleItem.of(item))
      const outcome = op.admit(state, item)()
      if (!isSteps(outcome)) return { value: outcome as Values, warnings: view.warnings }
      const { warnings } = view
      const pins = view.pinUsed()
      return new Slices(this.#host.clock, signal)
        .drive(outcome)
        .then((value) => ({ value: value as Values, warnings }))
        .finally(() => {
          for (const pin of pins) pin.unpin()
        })
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
      return undefined
    }
  }

  /** Reserves uses of a key, which needs no transaction. If that fails, the transaction repeats it and reports the failure. */
  async #itemAfterReservation(
    counter: StoredCounter,
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<Values>> {
    await counter.ensure(1).catch(() => {})
    return this.#itemOnCached(op, input, item, call, signal, false) ?? this.#itemInTransaction(op, input, item, call, signal)
  }

  /** Does the same as {@link item}, but synchronously. Returns undefined if the call would have to wait for records or keys. */
  itemSync(op: AnyBatch, input: Values, call: Call, isFresh: boolean): OperationOutcome<Values> | undefined {
    const { view } = this.#runner
    try {
      view.begin(call, isFresh)
      call.recheck?.(view)
      const state: unknown = op.open(view, input, this.#singleItem.of(input))
      const outcome = op.admit(state, input)() as Values | Steps<Values>
      return { value: isSteps(outcome) ? runToEnd(outcome) : outcome, warnings: view.warnings }
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
      return undefined
    }
  }

  /** Loads the records and keys that {@link itemSync} needs. This may count a use of the key although nothing is encrypted. */
  async loadForItem(op: AnyBatch, input: Values, call: Call): Promise<void> {
    await this.#runner.readInTransaction((tx) => {
      op.admit(op.open(tx, input, new OneItem().of(input)), input)
    }, call)
  }

  /** Loads the records that `load` reads, and reserves `reserve` uses of the counter that `load` returns. @throws KernelError */
  async preload(load: (tx: Tx) => Counter | undefined, call: Call, reserve: number): Promise<void> {
    const counter = await this.read(load, call)
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

  async #itemInTransaction(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<Values>> {
    return this.#runOrForward(call, undefined, { operation: op, call, input, item }, () =>
      this.#runItem(op, input, item, call, signal),
    )
  }

  async #runItem(
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

  /** Runs a batch. If parsing or admission refused an item, the result of that item is the error. */
  async batch(
    op: AnyBatch,
    input: Values,
    items: BatchItems,
    call: Call,
    signal?: AbortSignal,
  ): Promise<OperationOutcome<readonly (Values | Error)[]>> {
    const forwarded = { operation: op, call, input, items }
    return this.#runOrForward(call, undefined, forwarded, () => this.#runBatch(op, input, items, call, signal))
  }

  async #runBatch(
    op: AnyBatch,
    input: Values,
    { all, raw }: BatchItems,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<OperationOutcome<readonly (Values | Error)[]>> {
    const slices = new Slices(this.#host.clock, signal)
    const items: Items<Fields> = { batch: true, all, gives: (index, member) => hasValue(raw[index], member) }
    const { value, tx } = await transact(this.#host, this.#keyspace, call, OPERATION_KINDS[op.kind].access, async (run) => {
      call.recheck?.(run)
      const state: unknown = op.open(run, input, items)
      return { work: await admitAll(op, state, all, slices), cost: op.cost(state) }
    })
    try {
      return { value: await settleAll(value.work, raw, value.cost, slices), warnings: tx.warnings }
    } finally {
      tx.end()
    }
  }
}
