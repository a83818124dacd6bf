/** Registering and deregistering plugins, as in Vault. Plugins are never started: a registration is only a record. */
import { invalid } from '../../core/base/errors.ts'
import { canonicalVersion } from '../../core/base/semver.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { checkType } from './catalog.ts'
import { PLUGIN_NAME, PLUGIN_TYPE, PLUGIN_VERSION } from './fields.ts'
import { PLUGIN, pluginId } from './records.ts'
import { checkLength } from './runtimes/fields.ts'
import { useRuntime } from './runtimes/users.ts'

const SHA256 = /^[0-9a-f]{64}$/i

/** The version suffix that is reserved for built-in plugins. */
const RESERVED = /\+(?:.*\.)?builtin(?:\.|$)/

/**
 * @throws KernelError 400 if `sha256` is missing or is not a SHA-256 digest in hexadecimal, if `command` and `oci_image` are both missing,
 *   if the version is invalid, if the command is outside of the plugin directory, if the plugin runtime is not registered, or if
 *   `oci_image` has more than 4,096 characters.
 * @throws KernelError 405 if the plugin type is unknown.
 */
export const writePlugin = operation({
  kind: 'write',
  verb: 'POST',
  path: '/plugins/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary:
    'Registers a plugin. The kernel never starts it: a connection uses a plugin of the same name and version that was passed to the kernel.',
  fields: {
    type: PLUGIN_TYPE,
    name: PLUGIN_NAME,
    version: PLUGIN_VERSION,
    sha256: f.text('SHA-256 of the file, in hexadecimal.').default(''),
    sha_256: f.text('The former name of `sha256`.').deprecate().default(''),
    command: f.text('The command of the plugin, relative to the plugin directory; in an image, the entry point.').default(''),
    args: f.texts('Its arguments.').default([]),
    env: f.texts('Environment variables, each `NAME=value`. Never shown.').default([]),
    oci_image: f.text('The container image, without its tag. With an image, `command` is optional.').default(''),
    runtime: f
      .text("The plugin runtime for the plugin's containers. Default: none, which means `runsc` without limits.")
      .default(''),
  },
  returns: {},
  run: (tx, input) => {
    const type = checkType(input.type)
    const { name, command, args, env, oci_image, runtime } = input
    const sha256 = input.sha256 || input.sha_256
    if (sha256 === '') throw invalid('sha256: is required')
    if (command === '' && oci_image === '') throw invalid('command, oci_image: one of the two is required')
    checkLength(oci_image, 'oci_image')
    const version = canonicalVersion(input.version, 'version')
    if (RESERVED.test(version)) throw invalid('version: must not use the reserved word builtin')
    if (!SHA256.test(sha256)) throw invalid('sha256: must be 64 hexadecimal digits')
    if (command.split(/[\\/]/).includes('..')) throw invalid('command: must not lead out of the plugin directory')
    const plugin = { type, name, version }
    useRuntime(tx, plugin, tx.get(PLUGIN, pluginId(plugin))?.runtime ?? '', runtime)
    const image = { ...(oci_image !== '' && { oci_image }), ...(runtime !== '' && { runtime }) }
    tx.put(PLUGIN, pluginId(plugin), { command, sha256: sha256.toLowerCase(), args, env, ...image })
    return undefined
  },
})

/**
 * @throws KernelError 400 if the version is invalid.
 * @throws KernelError 405 if the plugin type is unknown.
 */
export const deletePlugin = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/plugins/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Removes a registered plugin from the catalog. A plugin that was passed to the kernel remains in the catalog.',
  fields: { type: PLUGIN_TYPE, name: PLUGIN_NAME, version: PLUGIN_VERSION },
  returns: {},
  run: (tx, input) => {
    const type = checkType(input.type)
    const plugin = { type, name: input.name, version: canonicalVersion(input.version, 'version') }
    const found = tx.get(PLUGIN, pluginId(plugin))
    if (!found) return undefined
    useRuntime(tx, plugin, found.runtime ?? '', '')
    tx.delete(PLUGIN, pluginId(plugin))
    return undefined
  },
})
