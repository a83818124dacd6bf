/**
 * The encryption engine's typed view: a method per operation, and the long work that is made of them. Room: composition root.
 * Imported by kernel-view.ts.
 */
import type { Clock } from './core/clock.ts'
import type { Api } from './core/operation/api.ts'
import type { LongWorkOptions } from './core/progress.ts'
import { type Binding, typedView } from './core/request/typed-view.ts'
import { transit } from './engines/transit/index.ts'
import { type RewrapAllArguments, type RewrapAllResult, type RewrapProgress, rewrapAll } from './engines/transit/rewrap-all.ts'

const OperationsView = /* @__PURE__ */ typedView(transit.operations)

/** The encryption engine. */
export interface Transit extends Api<typeof transit.operations> {
  /** The same methods for an engine of that type mounted elsewhere, such as `payments/`. */
  at(path: string): Transit
  /**
   * Rewraps ciphertexts that you have stored, however many: takes them as they are needed, in batches of at most 256 or about a megabyte, and
   * yields a result for each, in order. An item that cannot be rewrapped yields its error and the work goes on; one that is under the wanted
   * version already is yielded `unchanged`, so what was interrupted can simply be run again. With `as(token)` every batch is judged and
   * counts as a use of the token, as `rewrapBatch` would.
   *
   * An item must stay as it is until its result is there. Breaking off the loop ends `items` too.
   * @throws The refusals of `rewrapBatch` that concern no single item, the storage's failures, what `items` and `onProgress` throw, and
   * the signal's reason. Nothing is lost by that: the kernel has stored nothing.
   */
  rewrapAll(args: RewrapAllArguments, options?: LongWorkOptions<RewrapProgress>): AsyncGenerator<RewrapAllResult, void, undefined>
}

export class TransitView extends OperationsView {
  readonly #clock: Clock
  /** Of every typed view. */
  declare readonly at: Transit['at']

  constructor(binding: Binding) {
    super(binding)
    this.#clock = binding.clock
  }

  rewrapAll(
    args: RewrapAllArguments,
    options: LongWorkOptions<RewrapProgress> = {},
  ): AsyncGenerator<RewrapAllResult, void, undefined> {
    const rewrapBatch: Transit['rewrapBatch'] = (batch, call) => this.rewrapBatch(batch, call)
    return rewrapAll({ rewrapBatch, pause: () => this.#clock.sleep(0) }, args, options)
  }
}
