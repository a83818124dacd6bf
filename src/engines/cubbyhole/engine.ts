import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CubbyholeApi } from './generated/api.ts'
import { cubbyhole as cubbyholeOperations } from './index.ts'

/** The private storage of a token. */
export type Cubbyhole = CubbyholeApi

/** The facades that this engine adds to the views that `kernel.as(token)` returns. */
export interface CubbyholeFacades {
  /** The token's private storage, deleted together with the token. */
  readonly cubbyhole: Cubbyhole
}

/**
 * The cubbyhole engine: `kernel.as(token).cubbyhole` is the private storage of a token, and is deleted together with the token. Every
 * namespace has one mount of this engine.
 */
export const cubbyhole = (): EngineValue<Record<never, never>, CubbyholeFacades> =>
  engineValue<Record<never, never>, CubbyholeFacades>({
    ...cubbyholeOperations,
    tokenFacades: { cubbyhole: { path: 'cubbyhole/', operations: cubbyholeOperations.operations } },
  })
