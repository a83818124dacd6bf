/**
 * Runs operations: parsed input in, result out, in three phases: transact, settle, reply. Both views end here.
 */
import { KernelError } from '../base/errors.ts'
import { Slices, weigh } from '../base/slices.ts'
import { isSteps } from '../base/steps.ts'
import { type AnyBatch, type AnySingle, type Items, KINDS } from '../contract/operation.ts'
import { isSignal } from '../contract/signals.ts'
import type { Call, Tx, Work } from '../contract/tx.ts'
import type { Fields } from '../field/field.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { Effects } from './effects.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { transact } from './transact.ts'
import { CachedView } from './view.ts'

export interface Outcome<T> {
  readonly value: T
  readonly warnings: readonly string[] | undefined
}

/** Estimated cost of admitting one item: looking up its key, checking its versions, decoding a ciphertext. */
const ADMIT_MICROSECONDS = 3

/** The items of a batch: decoded or refused, and their raw values as sent. */
export interface BatchItems {
  readonly all: readonly (Values | Error)[]
  readonly raw: readonly Values[]
}

const gives = (values: Values | undefined, member: string): boolean => {
  const value = values?.[member]
  return typeof value === 'string' || value instanceof Uint8Array ? value.length > 0 : value !== undefined && value !== null
}

/** The items of a single call. One object serves all calls on the hot path: `open` looks at it and does not keep it. */
class OneItem implements Items<Fields> {
  readonly batch = false
  #item: Values = {}

  of(item: Values): this {
    this.#item = item
    return this
  }

  get all(): readonly [Values] {
    return [this.#item]
  }

  gives(_index: number, member: string): boolean {
    return gives(this.#item, member)
  }
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
    return transact(this.#host, this.#place, call, 'read', body).then(({ value, tx }) => {
      tx.end()
      return value
    })
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
    const { value, tx } = await transact(this.#host, this.#place, call, KINDS[op.kind].access, body, within)
    tx.end()
    return { value, warnings: tx.warnings }
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

/** Admits every item, so that everything missing is requested at once; then a pending signal ends the run. */
async function admitAll(
  op: AnyBatch,
  state: unknown,
  all: readonly (Values | Error)[],
  slices: Slices,
): Promise<(Work<Values> | Error)[]> {
  const admitted: (Work<Values> | Error)[] = []
  let signal: unknown
  for (const item of all) {
    try {
      admitted.push(item instanceof Error ? item : (op.admit(state, item) as Work<Values>))
    } catch (thrown) {
      if (isSignal(thrown)) signal = thrown
      else if (isItemError(thrown)) admitted.push(thrown)
      else throw thrown
    }
    if (slices.spend(ADMIT_MICROSECONDS)) await slices.giveWay()
  }
  if (signal) throw signal
  return admitted
}

/** @param raw The items as they were sent, by which they are weighed. */
async function settleAll(
  admitted: readonly (Work<Values> | Error)[],
  raw: readonly Values[],
  cost: number,
  slices: Slices,
): Promise<(Values | Error)[]> {
  const results: (Values | Error)[] = []
  for (let index = 0; index < admitted.length; index++) {
    const work = admitted[index] as Work<Values> | Error
    if (work instanceof Error) results.push(work)
    else {
      try {
        const outcome = work()
        results.push(isSteps(outcome) ? await slices.drive(outcome) : outcome)
      } catch (thrown) {
        if (!isItemError(thrown)) throw thrown
        results.push(thrown)
      }
    }
    if (slices.spend(cost + weigh(raw[index] as Values))) await slices.giveWay()
  }
  return results
}

/** Whether the error is the item's own. Any other is the store's or the kernel's and fails the request. */
const isItemError = (thrown: unknown): thrown is KernelError => thrown instanceof KernelError && thrown.status < 500
