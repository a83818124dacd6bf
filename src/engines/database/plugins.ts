import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { DatabasePlugin } from './port.ts'
import type { ConnectionRecord } from './records.ts'

/**
 * @throws KernelError 400 if the kernel does not have the plugin in the required version, 502 if the plugin has no `credential_types` or
 * `username_template`.
 */
export function pluginOf({ ports }: Environment, { plugin_name, plugin_version }: PluginName): DatabasePlugin {
  const all = ports.databases ?? {}
  const plugin = Object.hasOwn(all, plugin_name) ? all[plugin_name] : undefined
  if (plugin && (plugin_version === '' || plugin.version === plugin_version)) {
    if (isComplete(plugin)) return plugin
    throw new KernelError(
      'ERR_UPSTREAM',
      `plugin_name: the database plugin ${plugin_name.slice(0, 200)} must have credential_types and username_template`,
    )
  }
  const version = plugin_version === '' ? '' : ` in version ${plugin_version}`
  throw new KernelError(
    'ERR_NOT_CONFIGURED',
    `plugin_name: ${plugin_name.slice(0, 200)}${version} is not configured; add it to createKernel({ ports: { databases } })`,
  )
}

type PluginName = Pick<ConnectionRecord, 'plugin_name' | 'plugin_version'>

/** Checks only the two members that are not methods, because the methods of plugins are checked when the kernel is created. */
const isComplete = ({ credential_types, username_template }: DatabasePlugin): boolean =>
  Array.isArray(credential_types) && typeof username_template === 'string'
