import { invalid, KernelError, notFound } from '../../core/base/errors.ts'
import { fitsAny } from '../../core/base/glob.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { CredentialType, DatabasePlugin } from './port.ts'
import { CONNECTION, type ConnectionRecord } from './records.ts'

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

export const unknownConnection = (name: string): KernelError =>
  notFound(`db_name: there is no connection named ${name.slice(0, 200)}`, 400)

export interface RoleConnection {
  readonly connection: ConnectionRecord
  readonly plugin: DatabasePlugin
}

/** @throws KernelError 400 if the connection does not exist, 403 if the connection does not allow the role. */
export function connectionForRole(tx: Tx, role: string, db_name: string): ConnectionRecord {
  const connection = tx.get(CONNECTION, db_name)
  if (!connection) throw unknownConnection(db_name)
  if (!fitsAny(role, connection.allowed_roles))
    throw new KernelError(
      'ERR_PERMISSION_DENIED',
      `allowed_roles: the connection ${db_name.slice(0, 200)} does not allow the role ${role}`,
    )
  return connection
}

/**
 * @throws KernelError 400 if the connection or the plugin does not exist, or if the plugin does not support the credential type; 403 if the
 * connection does not allow the role; 502 if the plugin is incomplete.
 */
export function connectionAndPluginForRole(tx: Tx, role: string, db_name: string, type: CredentialType): RoleConnection {
  const connection = connectionForRole(tx, role, db_name)
  const plugin = pluginOf(tx.env, connection)
  if (!plugin.credential_types.includes(type))
    throw invalid(`credential_type: ${connection.plugin_name} does not support ${type}`)
  return { connection, plugin }
}
