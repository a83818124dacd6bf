import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { openApiOperations } from './openapi.ts'

const PART = engineValue<Record<never, never>>({
  part: 'help',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: openApiOperations,
  due: {},
})

/** Help at every path (`help=1`), and the OpenAPI document at `sys/internal/specs/openapi`. */
export const help = (): EngineValue<Record<never, never>> => PART
