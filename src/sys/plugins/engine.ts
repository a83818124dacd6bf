import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Plugins } from './generated/api.ts'
import { listPlugins, readCatalog, readPlugin } from './read-plugins.ts'
import { reloadPlugins } from './reload-plugins.ts'
import { deleteRuntime } from './runtimes/delete-runtime.ts'
import { listRuntimes, listRuntimesByVerb, readRuntime } from './runtimes/read-runtimes.ts'
import { writeRuntime } from './runtimes/write-runtime.ts'
import { deletePlugin, writePlugin } from './write-plugin.ts'

export const pluginOperations = {
  readCatalog,
  listPlugins,
  readPlugin,
  writePlugin,
  deletePlugin,
  reloadPlugins,
  writeRuntime,
  readRuntime,
  listRuntimes,
  deleteRuntime,
}

/** All operations, including the one that can be called only by path. */
const allPluginOperations = { ...pluginOperations, listRuntimesByVerb }

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
