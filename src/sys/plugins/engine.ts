/**
 * The catalogues of plugins and of their runtimes as a kernel is made with them.
 */
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Plugins } from './api.ts'
import { pluginOperations, pluginPathOperations } from './index.ts'

export type { Plugins }

/** What kernels with the catalogues show. */
export interface PluginsFacades {
  /** The catalogues of plugins (engines, and what their ports were given) and of plugin runtimes. */
  readonly plugins: Plugins
}

/** The catalogues of plugins and of plugin runtimes, below `sys/plugins/`: `kernel.plugins`. */
export const plugins = (): EngineValue<PluginsFacades> =>
  engineValue<PluginsFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: { ...pluginOperations, ...pluginPathOperations },
    due: {},
    facades: { plugins: { path: 'sys/', operations: pluginOperations } },
  })
