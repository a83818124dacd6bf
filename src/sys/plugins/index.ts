/** The operations of the plugin catalogue. */
import { listPlugins, readCatalog, readPlugin } from './read-plugins.ts'
import { reloadPlugins } from './reload-plugins.ts'
import { deletePlugin, writePlugin } from './write-plugin.ts'

export const pluginOperations = { readCatalog, listPlugins, readPlugin, writePlugin, deletePlugin, reloadPlugins }
