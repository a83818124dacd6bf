/**
 * The catalogue of plugins as a kernel is made with it.
 */
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Plugins } from './api.ts'
import { pluginOperations } from './index.ts'

export type { Plugins }

/** What kernels with the catalogue of plugins show. */
export interface PluginsFacades {
  /** The catalogue of plugins: engines, and what their ports were given. */
  readonly plugins: Plugins
}

/** The catalogue of plugins, below `sys/plugins/`: `kernel.plugins`. */
export const plugins = (): EngineValue<PluginsFacades> =>
  engineValue<PluginsFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: pluginOperations,
    due: {},
    facades: { plugins: { path: 'sys/', operations: pluginOperations } },
  })
