/**
 * The cubbyhole as a kernel is made of it.
 */
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CubbyholeApi } from './api.ts'
import { cubbyhole as cubbyholeOperations } from './index.ts'

/** What a token keeps for itself. */
export type Cubbyhole = CubbyholeApi

/** What views of tokens show. */
export interface CubbyholeFacades {
  /** What the token keeps for itself, gone with it. */
  readonly cubbyhole: Cubbyhole
}

/** What a token keeps for itself, gone with it: `kernel.as(token).cubbyhole`. Every namespace has one. */
export const cubbyhole = (): EngineValue<Record<never, never>, CubbyholeFacades> =>
  engineValue<Record<never, never>, CubbyholeFacades>({
    ...cubbyholeOperations,
    tokenFacades: { cubbyhole: { path: 'cubbyhole/', operations: cubbyholeOperations.operations } },
  })
