/** The key/value engine, both versions, as a value for a kernel, with its typed facades. */

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { KV_EVENTS } from './events.ts'

export type {} from './events.ts'

import { kv2, kv2Operations, kv as kvOperations } from './index.ts'
import type { KvApi } from './v1/api.ts'
import type { Kv2Api } from './v2/api.ts'

/** The key/value engine, version 1. */
export interface Kv extends KvApi {
  /** The same methods for an engine of this type mounted elsewhere, such as `payments/`. */
  at(path: string): Kv
}

/** The key/value engine, version 2. */
export interface Kv2 extends Kv2Api {
  /** The same methods for an engine of this type mounted elsewhere, such as `payments/`. */
  at(path: string): Kv2
}

/** The facades on kernels with the key/value engine. */
export interface KvFacades {
  /** Secrets by path, version 1, at `secret/`; `at(path)` for other mounts. */
  readonly kv: Kv
  /** Secrets by path with versions, version 2, at `secret/` once that mount is tuned to it; `at(path)` for other mounts. */
  readonly kv2: Kv2
}

/** Secrets by path: `kernel.kv` and `kernel.kv2`, at `secret/` in a fresh store, where the mount begins with version 1. */
export const kv = (): EngineValue<KvFacades> =>
  engineValue<KvFacades>({
    ...kvOperations,
    events: KV_EVENTS,
    fresh: [{ path: 'secret/', description: 'key/value secret storage', options: { version: '1' } }],
    facades: {
      kv: { path: 'secret/', operations: kvOperations.operations },
      kv2: { path: 'secret/', type: kv2.type, operations: kv2Operations },
    },
  })
