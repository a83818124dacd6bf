import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Plugins } from './generated/api.ts'
import { allPluginOperations, pluginOperations } from './index.ts'

export type { Plugins }

/** The facades of kernels with the plugin catalog. */
export interface PluginsFacades {
  /** The catalog of plugins (engines and plugins passed to ports) and of plugin runtimes. */
  readonly plugins: Plugins
}

/** The engine for the catalogs of plugins and of plugin runtimes, at `sys/plugins/` and as `kernel.plugins`. */
export const plugins = (): EngineValue<PluginsFacades> =>
  engineValue<PluginsFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    part: 'plugins',
    operations: allPluginOperations,
    due: {},
    facades: { plugins: { path: 'sys/', operations: pluginOperations } },
  })
