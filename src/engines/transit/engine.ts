import { DeferredCode } from '../../core/base/deferred-code.ts'
import type { LongWorkOptions } from '../../core/base/progress.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { TRANSIT_EVENTS } from './events.ts'
import type { TransitApi } from './generated/api.ts'

export type {} from './events.ts'

import type { KeyHandleOptions, TransitHandle } from './handle.ts'
import { transit as transitOperations } from './index.ts'
import { MANAGED_KEYS } from './port.ts'
import type { KeyCensus } from './stored/census.ts'
import type { RewrapAllResult } from './stored/items.ts'
import type { RewrapAllArguments, RewrapAllOptions, RewrapProgress } from './stored/rewrap-all.ts'
import { type TextCalls, textCalls } from './text-calls.ts'

/** The encryption engine. */
export interface Transit extends TransitApi, TextCalls {
  /** Returns the methods for an encryption engine at another mount path, such as `payments/`. */
  at(path: string): Transit
  /**
   * Opens a key for synchronous calls, for code that cannot await, such as a transformer of an ORM.
   *
   * Keeps the 256 newest usable versions in memory, and reserves `reserve` encryptions in advance (default 1,024; 0 to 1,048,576). If other
   * processes share the storage, the handle reloads its data four times per `cache.stalenessMs`, and its timer keeps the process alive
   * until the handle or the kernel is closed.
   * @throws KernelError 400 for a missing or soft-deleted key and for type `managed_key`; 405 if an audit sink has no `writeSync`, or if
   * `cache.stalenessMs` is 0 and the storage is shared; 503 if the kernel is sealed or the store does not answer
   */
  keyHandle(name: string, options?: KeyHandleOptions): Promise<TransitHandle>
  /**
   * Rewraps any number of stored ciphertexts. Reads `items` on demand, in batches of at most 256 items or about a megabyte, and yields one
   * result per item, in order. If an item cannot be rewrapped, its result is an error, and the work continues. If an item already has the
   * requested version, its result is `unchanged`. You can therefore repeat an interrupted run from the start, or resume it with
   * `checkpoint` and `after`. On a view made by `as(token)`, every batch is authorized and counts as one use of the token, like a call of
   * `rewrapBatch`.
   *
   * Do not change an item before its result is yielded. Leaving the loop early also ends the iteration of `items`.
   * @throws The errors that `rewrapBatch` throws for a whole batch, storage failures, errors thrown by `items`, `onProgress` and
   * `checkpoint`, and the reason of the aborted signal. No data is lost, because the kernel stores nothing during the run.
   */
  rewrapAll(args: RewrapAllArguments, options?: RewrapAllOptions): AsyncGenerator<RewrapAllResult, KeyCensus, undefined>
  /**
   * Counts stored ciphertexts, signatures and HMACs by their key version, without decrypting anything. Pass the result to `retireVersions`
   * as proof that older versions are no longer needed.
   * @throws The same errors as `rewrapAll`.
   */
  census(args: Omit<RewrapAllArguments, 'key_version'>, options?: LongWorkOptions<RewrapProgress>): Promise<KeyCensus>
}

/** The facades of kernels that have the encryption engine. */
export interface TransitFacades {
  /** Encryption, signatures, HMACs and keys, at `transit/`; `at(path)` for other mounts. */
  readonly transit: Transit
}

const HANDLE = /* @__PURE__ */ new DeferredCode('synchronous calls', () => import('./handle.ts'))
const REWRAP = /* @__PURE__ */ new DeferredCode('rewrapAll', () => import('./stored/rewrap-all.ts'))

/** Encryption, signatures, HMACs and keys: `kernel.transit`, mounted at `transit/` in a new store. */
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
        methods: (view: Transit, { pause, now, openSyncCalls }) => {
          const rewrapBatch: Transit['rewrapBatch'] = (batch, call) => view.rewrapBatch(batch, call)
          const inspectBatch: Transit['inspectBatch'] = (batch, call) => view.inspectBatch(batch, call)
          const parts = { rewrapBatch, inspectBatch, pause, now }
          return {
            ...textCalls(view),
            keyHandle: async (name: string, options: KeyHandleOptions = {}) =>
              (await HANDLE.loaded()).openKeyHandle(openSyncCalls, name, options),
            async *rewrapAll(args: RewrapAllArguments, options: RewrapAllOptions = {}) {
              return yield* (await REWRAP.loaded()).rewrapAll(parts, args, options)
            },
            census: async (args: Omit<RewrapAllArguments, 'key_version'>, options: LongWorkOptions<RewrapProgress> = {}) =>
              (await REWRAP.loaded()).takeCensus(parts, args, options),
          }
        },
      },
    },
  })
