/**
 * The cubbyhole as a kernel is made of it.
 */
import type { Api } from '../../core/contract/api.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { cubbyhole as cubbyholeOperations } from './index.ts'

/** What a token keeps for itself. */
export type Cubbyhole = Api<typeof cubbyholeOperations.operations>

/** What a token keeps for itself, gone with it: `kernel.as(token).cubbyhole`. Every namespace has one. */
export const cubbyhole = (): EngineValue<Record<never, never>, { cubbyhole: Cubbyhole }> =>
  engineValue<Record<never, never>, { cubbyhole: Cubbyhole }>({
    ...cubbyholeOperations,
    tokenFacades: { cubbyhole: { path: 'cubbyhole/', operations: cubbyholeOperations.operations } },
  })
