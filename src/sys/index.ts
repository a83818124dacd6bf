/** The engine at `sys/` of every namespace. Its operations belong to parts, which are merged into it (`system-engine.ts`). */
import type { Engine } from '../core/contract/engine.ts'

export const system = { type: 'system', mounts: 'system', keeps: 'core', operations: {}, due: {} } satisfies Engine
