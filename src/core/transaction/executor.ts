/**
 * Runs operations on parsed input. Both typed calls and calls by path use it.
 */
import { Slices } from '../base/slices.ts'
import { type AnyBatch, type AnyOperation, type AnySingle, type Items, OPERATION_KINDS } from '../contract/operation.ts'
import type { Call, Tx } from '../contract/tx.ts'
import type { Fields } from '../field/field.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { admitAll, type BatchItems, hasValue, settleAll } from './batch.ts'
import { EffectRunner } from './effects.ts'
import type { ForwardedCall } from './forwarding.ts'
import type { Host } from './host.ts'
import { ItemRunner } from './item-runner.ts'
import type { Keyspace } from './keyspace.ts'
import { runOrForward } from './run-or-forward.ts'
import { type OperationOutcome, Runner } from './runner.ts'
import { transact } from './transact.ts'

export class Executor {
  /** Runs operations that call outside systems. */
  readonly effects: EffectRunner
  /** Runs batch operations for calls that are not batches. */
  readonly items: ItemRunner
  readonly #host: Host
  readonly #keyspace: Keyspace
  readonly #runner: Runner<Call, Tx>

  constructor(host: Host, keyspace: Keyspace) {
    this.#host = host
    this.#keyspace = keyspace
    this.#runner = new Runner(host, keyspace)
    this.effects = new EffectRunner(host, keyspace)
    this.items = new ItemRunner(host, keyspace, this.#runner)
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
    return runOrForward(this.#host, call, within, { operation: op, call, input: own }, () => this.effects.run(work, own, call))
  }

  /**
   * Runs a call that another cluster forwarded, and never forwards the call again. The call always runs in a transaction, because only a
   * transaction proves that its caller is still allowed to make the call. Cached records could be outdated.
   */
  runForwarded({ operation, call, input, item, items }: ForwardedCall): Promise<OperationOutcome<unknown>> {
    if (operation.batch) {
      if (items) return this.#runBatch(operation, input, items, call, undefined)
      return this.items.runInTransaction(operation, input, item ?? input, call, undefined)
    }
    if (operation.control) throw new TypeError('an operation on the kernel itself cannot be forwarded')
    if (operation.effectWork) return this.effects.run(operation.effectWork, input, call)
    return this.#runner.runInTransaction(operation, input, call)
  }

  async #singleInTransaction(
    op: AnySingle,
    input: Values,
    call: Call,
    within?: unknown,
  ): Promise<OperationOutcome<Values | undefined>> {
    return runOrForward(this.#host, call, within, { operation: op, call, input }, () =>
      this.#runner.runInTransaction(op, input, call, within),
    )
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
    return runOrForward(this.#host, call, undefined, forwarded, () => this.#runBatch(op, input, items, call, signal))
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
