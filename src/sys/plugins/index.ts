/** The operations of the plugin catalog and of the plugin runtime catalog. */
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
export const allPluginOperations = { ...pluginOperations, listRuntimesByVerb }
