/**
 * The key/value engine as a kernel is made of it, in both versions.
 */
import { type EngineValue, engineValue, type Mounted } from '../../core/contract/engine.ts'

export type {} from './events.ts'

import { kv2, kv2Operations, kv as kvOperations } from './index.ts'

/** The key/value engine, version 1. */
export type Kv = Mounted<typeof kvOperations.operations>
/** The key/value engine, version 2. */
export type Kv2 = Mounted<typeof kv2Operations>

/** Secrets by path: `kernel.kv` and `kernel.kv2`, at `secret/` in a fresh store, which begins with version 1. */
export const kv = (): EngineValue<{ kv: Kv; kv2: Kv2 }> =>
  engineValue<{ kv: Kv; kv2: Kv2 }>({
    ...kvOperations,
    fresh: [{ path: 'secret/', description: 'key/value secret storage', options: { version: '1' } }],
    facades: {
      kv: { path: 'secret/', operations: kvOperations.operations },
      kv2: { path: 'secret/', type: kv2.type, operations: kv2Operations },
    },
  })
