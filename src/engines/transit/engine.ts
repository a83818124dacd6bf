/** The encryption engine as a value for a kernel, with its typed facade. */

import type { LongWorkOptions } from '../../core/base/progress.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { TransitApi } from './api.ts'
import { TRANSIT_EVENTS } from './events.ts'

export type {} from './events.ts'

import { type KeyHandleOptions, openKeyHandle, type TransitHandle } from './handle.ts'
import { transit as transitOperations } from './index.ts'
import { MANAGED_KEYS } from './port.ts'
import type { KeyCensus } from './stored/census.ts'
import type { RewrapAllResult } from './stored/items.ts'
import {
  type RewrapAllArguments,
  type RewrapAllOptions,
  type RewrapProgress,
  rewrapAll,
  takeCensus,
} from './stored/rewrap-all.ts'
import { type TextCalls, textCalls } from './text-calls.ts'

/** The encryption engine. */
export interface Transit extends TransitApi, TextCalls {
  /** The same methods for an engine of this type mounted elsewhere, such as `payments/`. */
  at(path: string): Transit
  /**
   * A key whose methods answer without a promise, for code that cannot wait, such as a transformer of an ORM. The key's usable versions
   * (the 256 newest) and `reserve` encryptions (default 1,024; at most 1,048,576; 0 for none) are kept at hand: where others write to the
   * storage too, by looking four times within `cache.stalenessMs`. That keeps the process alive until the handle or the kernel is closed.
   * @throws KernelError 400 for a missing or soft-deleted key and for `managed_key`, 405 where an audit sink has no `writeSync` or
   * `cache.stalenessMs` is 0 on a shared storage, 503 as other methods.
   */
  keyHandle(name: string, options?: KeyHandleOptions): Promise<TransitHandle>
  /**
   * Rewraps stored ciphertexts, however many: reads them on demand, in batches of at most 256 items or about a megabyte, and
   * yields a result for each, in order. An item that cannot be rewrapped yields its error and the work goes on. One that is under
   * the wanted version already is yielded `unchanged`, so an interrupted run can simply be repeated; `checkpoint` and `after` make it
   * go on where it was. With `as(token)` every batch is judged and counts as a use of the token, as `rewrapBatch` would.
   *
   * An item must not change until its result is yielded. Breaking off the loop ends `items` too.
   * @throws The refusals of `rewrapBatch` that concern no single item, the storage's failures, errors of `items` and
   * `onProgress` and `checkpoint`, and the signal's reason. Nothing is lost by that: the kernel has stored nothing.
   */
  rewrapAll(args: RewrapAllArguments, options?: RewrapAllOptions): AsyncGenerator<RewrapAllResult, KeyCensus, undefined>
  /**
   * Counts stored ciphertexts by the version they are under, and opens none: what `retireVersions` asks for as a proof. HMACs and
   * signatures are counted, too.
   * @throws as `rewrapAll`
   */
  census(args: Omit<RewrapAllArguments, 'key_version'>, options?: LongWorkOptions<RewrapProgress>): Promise<KeyCensus>
}

/** The facades on kernels with the encryption engine. */
export interface TransitFacades {
  /** Encryption, signatures, HMACs and keys, at `transit/`; `at(path)` for other mounts. */
  readonly transit: Transit
}

/** Encryption, signatures, HMACs and keys: `kernel.transit`, at `transit/` in a fresh store. */
export const transit = (): EngineValue<TransitFacades> =>
  engineValue<TransitFacades>({
    ...transitOperations,
    events: TRANSIT_EVENTS,
    ports: { managedKeys: MANAGED_KEYS },
    fresh: [{ path: 'transit/', description: 'encryption as a service' }],
    facades: {
      transit: {
        path: 'transit/',
        operations: transitOperations.operations,
        methods: (view: Transit, { pause, now, openSyncCalls: hold }) => {
          const rewrapBatch: Transit['rewrapBatch'] = (batch, call) => view.rewrapBatch(batch, call)
          const inspectBatch: Transit['inspectBatch'] = (batch, call) => view.inspectBatch(batch, call)
          const parts = { rewrapBatch, inspectBatch, pause, now }
          return {
            ...textCalls(view),
            keyHandle: (name: string, options: KeyHandleOptions = {}) => openKeyHandle(hold, name, options),
            rewrapAll: (args: RewrapAllArguments, options: RewrapAllOptions = {}) => rewrapAll(parts, args, options),
            census: (args: Omit<RewrapAllArguments, 'key_version'>, options: LongWorkOptions<RewrapProgress> = {}) =>
              takeCensus(parts, args, options),
          }
        },
      },
    },
  })
