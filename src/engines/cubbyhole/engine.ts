import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CubbyholeApi } from './api.ts'
import { cubbyhole as cubbyholeOperations } from './index.ts'

/** The private storage of a token. */
export type Cubbyhole = CubbyholeApi

/** The facades of views that are made with `as(token)`. */
export interface CubbyholeFacades {
  /** The token's private storage, deleted together with the token. */
  readonly cubbyhole: Cubbyhole
}

/** The private storage of a token, deleted together with it: `kernel.as(token).cubbyhole`. Every namespace has this mount. */
export const cubbyhole = (): EngineValue<Record<never, never>, CubbyholeFacades> =>
  engineValue<Record<never, never>, CubbyholeFacades>({
    ...cubbyholeOperations,
    tokenFacades: { cubbyhole: { path: 'cubbyhole/', operations: cubbyholeOperations.operations } },
  })
