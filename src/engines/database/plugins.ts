/**
 * Which plugin a connection means.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/tx.ts'
import type { DatabasePlugin } from './port.ts'
import type { ConnectionRecord } from './records.ts'

/** @throws KernelError 400 where the kernel was not given it. */
export function pluginOf({ ports }: Environment, { plugin_name, plugin_version }: PluginName): DatabasePlugin {
  const all = ports.databases ?? {}
  const plugin = Object.hasOwn(all, plugin_name) ? all[plugin_name] : undefined
  if (plugin && (plugin_version === '' || plugin.version === plugin_version)) {
    if (isComplete(plugin)) return plugin
    throw new KernelError(
      'ERR_UPSTREAM',
      `plugin_name: ${plugin_name.slice(0, 200)} lacks what a database plugin tells of itself`,
    )
  }
  const version = plugin_version === '' ? '' : ` in version ${plugin_version}`
  throw new KernelError(
    'ERR_NOT_CONFIGURED',
    `plugin_name: createKernel({ ports: { databases } }) was given no ${plugin_name.slice(0, 200)}${version}`,
  )
}

type PluginName = Pick<ConnectionRecord, 'plugin_name' | 'plugin_version'>

/** Methods were looked for when the kernel was made. */
const isComplete = ({ credential_types, username_template }: DatabasePlugin): boolean =>
  Array.isArray(credential_types) && typeof username_template === 'string'
