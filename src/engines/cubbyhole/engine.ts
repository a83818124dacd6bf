/** The cubbyhole as a value for a kernel, with its typed facade. */
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CubbyholeApi } from './api.ts'
import { cubbyhole as cubbyholeOperations } from './index.ts'

/** Private storage of a token. */
export type Cubbyhole = CubbyholeApi

/** The facades on views of tokens. */
export interface CubbyholeFacades {
  /** The token's private storage, removed with the token. */
  readonly cubbyhole: Cubbyhole
}

/** The private storage of a token, removed with it: `kernel.as(token).cubbyhole`. Every namespace has the mount. */
export const cubbyhole = (): EngineValue<Record<never, never>, CubbyholeFacades> =>
  engineValue<Record<never, never>, CubbyholeFacades>({
    ...cubbyholeOperations,
    tokenFacades: { cubbyhole: { path: 'cubbyhole/', operations: cubbyholeOperations.operations } },
  })
