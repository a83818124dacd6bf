/** Reading the plugin catalog, as in Vault. */
import { canonicalVersion } from '../../core/base/semver.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { builtin, checkType, type PluginDetails, type PluginType, pluginNames, registered } from './catalog.ts'
import { PLUGIN_NAME, PLUGIN_TYPE, PLUGIN_VERSION } from './fields.ts'
import { PLUGIN, pluginId } from './records.ts'

const LIST = { type: 'array', items: { type: 'string' } }

const names = (description: string) => f.json<readonly string[]>(description, LIST)

/** @throws no errors of its own. */
export const readCatalog = operation({
  kind: 'read',
  verb: 'GET',
  path: '/plugins/catalog',
  sudo: true,
  rootOnly: true,
  summary: 'Lists all plugins: those passed to the kernel, and registered ones.',
  fields: {},
  returns: {
    auth: names('Names of auth methods.'),
    database: names('Names of database plugins.'),
    secret: names('Names of secrets engines.'),
    detailed: f.json<readonly PluginDetails[]>('All plugins with their versions.', { type: 'array' }),
  },
  run: (tx) => {
    const all = allPlugins(tx)
    return tx.steps('names', () => catalogOf(all), 'attempt')
  },
})

const allPlugins = (tx: Tx, type?: PluginType): readonly PluginDetails[] => [
  ...builtin(tx),
  ...tx.steps('registered', () => registered(tx, type), 'attempt'),
]

function* catalogOf(all: readonly PluginDetails[]) {
  const [auth, database, secret] = [
    yield* pluginNames(all, 'auth'),
    yield* pluginNames(all, 'database'),
    yield* pluginNames(all, 'secret'),
  ]
  return { auth, database, secret, detailed: all }
}

/** @throws KernelError 405 if the plugin type is unknown. */
export const listPlugins = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/plugins/catalog/:type',
  sudo: true,
  rootOnly: true,
  summary: 'Lists the names of all plugins of a type, in byte order.',
  fields: { type: PLUGIN_TYPE },
  returns: { keys: names('The names of the plugins.') },
  run: (tx, input) => {
    const type = checkType(input.type)
    const all = allPlugins(tx, type)
    return { keys: tx.steps('names', () => pluginNames(all, type), 'attempt') }
  },
})

/**
 * @throws KernelError 400 if the version is invalid.
 * @throws KernelError 404 if the plugin does not exist.
 * @throws KernelError 405 if the plugin type is unknown.
 */
export const readPlugin = operation({
  kind: 'read',
  verb: 'GET',
  path: '/plugins/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Shows a plugin. A registered plugin without a version takes precedence over one that was passed to the kernel.',
  fields: { type: PLUGIN_TYPE, name: PLUGIN_NAME, version: PLUGIN_VERSION },
  returns: {
    name: f.text('The name of the plugin.'),
    builtin: f.bool('Whether the plugin was passed to the kernel. Otherwise it is only registered, and never started.'),
    version: f.text('The version, such as `v1.2.3`; empty if the plugin has no version.'),
    command: f.text('The registered command.'),
    args: f.json<readonly string[] | null>('The registered arguments, or null.', LIST),
    sha256: f.text('The registered checksum, in hexadecimal.'),
    deprecation_status: f.text('`supported` for plugins that were passed to the kernel.').optional(),
    oci: f.bool('Whether the plugin is in a container image.'),
    oci_image: f.text('The registered image.').optional(),
    runtime: f.text("The plugin runtime for the plugin's containers.").optional(),
    declarative: f.bool('Always false. In Vault, it says whether a file declares the plugin.'),
  },
  run: (tx, input) => {
    const type = checkType(input.type)
    const version = canonicalVersion(input.version, 'version')
    const { name } = input
    const found = tx.get(PLUGIN, pluginId({ type, name, version }))
    const common = { name, declarative: false }
    if (found) {
      const { env: _, args, ...shown } = found
      const oci = found.oci_image !== undefined
      return { ...common, ...shown, builtin: false, version, args: args.length > 0 ? [...args] : null, oci }
    }
    const own = builtin(tx).find(
      (plugin) => plugin.type === type && plugin.name === name && (version === '' || plugin.version === version),
    )
    if (!own) return undefined
    const none = { command: '', args: null, sha256: '', oci: false, deprecation_status: 'supported' }
    return { ...common, ...none, builtin: true, version: own.version }
  },
})
