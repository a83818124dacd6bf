/**
 * Runs operations: parsed input in, result out, in three phases: transact, settle, reply. Both views end here.
 */
import { Slices } from '../base/slices.ts'
import { isSteps } from '../base/steps.ts'
import { type AnyBatch, type AnySingle, type Items, KINDS } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { Call, Tx, Work } from '../contract/tx.ts'
import type { Fields } from '../field/field.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { admitAll, type BatchItems, gives, OneItem, settleAll } from './batch.ts'
import { Effects } from './effects.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { conclude, transact } from './transact.ts'
import { CachedView } from './view.ts'

export interface Outcome<T> {
  readonly value: T
  readonly warnings: readonly string[] | undefined
}

export class Executor {
  /** Runs operations that act outside the store. */
  readonly effects: Effects
  readonly #host: Host
  readonly #place: Place
  readonly #view: CachedView
  readonly #one = new OneItem()

  constructor(host: Host, place: Place) {
    this.#host = host
    this.#place = place
    this.#view = new CachedView(host, place)
    this.effects = new Effects(host, place)
  }

  /** Runs a lookup as a separate read, before the operation. */
  look<T>(body: (tx: Tx) => T, call: Call): T | Promise<T> {
    try {
      this.#view.begin(call)
      return body(this.#view)
    } catch (thrown) {
      if (!isSignal(thrown)) throw thrown
    }
    return conclude(this.#host, this.#place, call, 'read', body).then(({ value }) => value)
  }

  /** Runs an operation without items. It answers at once, without a promise, when it is a read whose records are all cached. */
  single(
    op: AnySingle,
    input: Values,
    call: Call,
    within?: unknown,
  ): Outcome<Values | undefined> | Promise<Outcome<Values | undefined>> {
    if (op.control) return this.#control(op.control, input, call, within)
    if (op.outside) return this.#outside(op.outside, input, call, within)
    const { joins, startsCached } = KINDS[op.kind]
    if (!joins && within !== undefined) throw new TypeError('within: only writes can be part of a transaction')
    if (startsCached) {
      try {
        this.#view.begin(call)
        call.recheck?.(this.#view)
        const value = op.run(this.#view, input)
        // Records cached at different moments can add up to "not there". Only a transaction compares their versions.
        if (value !== undefined || !this.#host.store.storage.caps.shared) return { value, warnings: this.#view.warnings }
      } catch (thrown) {
        if (!isSignal(thrown)) throw thrown
      }
    }
    return this.#singleSlowly(op, ownBytes(input), call, within)
  }

  async #control(
    control: NonNullable<AnySingle['control']>,
    input: Values,
    call: Call,
    within: unknown,
  ): Promise<Outcome<Values | undefined>> {
    if (within !== undefined) throw new TypeError('within: only writes of records can be part of a transaction')
    const { env, clock } = this.#host
    const value = (await control({ env, call, now: clock.now() }, ownBytes(input))) as Values | undefined
    return { value, warnings: undefined }
  }

  async #outside(
    work: NonNullable<AnySingle['outside']>,
    input: Values,
    call: Call,
    within: unknown,
  ): Promise<Outcome<Values | undefined>> {
    if (within !== undefined) throw new TypeError('within: what is done outside of the store is part of no transaction')
    return this.effects.run(work, ownBytes(input), call)
  }

  async #singleSlowly(op: AnySingle, input: Values, call: Call, within?: unknown): Promise<Outcome<Values | undefined>> {
    const body = (run: Tx): Values | undefined => {
      call.recheck?.(run)
      return op.run(run, input) as Values | undefined
    }
    return conclude(this.#host, this.#place, call, KINDS[op.kind].access, body, within)
  }

  /** Runs a batch operation on a single item, outside a batch: the hot path. */
  item(op: AnyBatch, input: Values, item: Values, call: Call, signal?: AbortSignal): Outcome<Values> | Promise<Outcome<Values>> {
    const view = this.#view
    try {
      view.begin(call)
      call.recheck?.(view)
      const state: unknown = op.open(view, input, this.#one.of(item))
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
    }
    // The typed view uses one object for both.
    const own = ownBytes(item)
    return this.#itemSlowly(op, input === item ? own : ownBytes(input), own, call, signal)
  }

  async #itemSlowly(
    op: AnyBatch,
    input: Values,
    item: Values,
    call: Call,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Values>> {
    const items = new OneItem().of(item)
    const { value: work, tx } = await transact(this.#host, this.#place, call, KINDS[op.kind].access, (run) => {
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

  /** Runs a batch. Refused items, whether by parsing or by admission, appear as errors at the place of their result. */
  async batch(
    op: AnyBatch,
    input: Values,
    { all, raw }: BatchItems,
    call: Call,
    signal?: AbortSignal,
  ): Promise<Outcome<readonly (Values | Error)[]>> {
    const slices = new Slices(this.#host.clock, signal)
    const items: Items<Fields> = { batch: true, all, gives: (index, member) => gives(raw[index], member) }
    const { value, tx } = await transact(this.#host, this.#place, call, KINDS[op.kind].access, async (run) => {
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
