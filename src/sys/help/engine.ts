import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { helpRoute } from '../../core/transaction/help.ts'
import { openApiOperations } from './openapi.ts'

const PART = engineValue<Record<never, never>>({
  part: 'help',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: openApiOperations,
  due: {},
  attach: ({ help: routes }: KernelInternals) => {
    routes.route = helpRoute
  },
})

/** Help at every path (`help=1`), and the OpenAPI document at `sys/internal/specs/openapi`. */
export const help = (): EngineValue<Record<never, never>> => PART
