import { invalid, KernelError } from '../../core/base/errors.ts'
import { fitsAny } from '../../core/base/glob.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { unknownConnection } from './database-calls.ts'
import { pluginOf } from './plugins.ts'
import type { CredentialType, DatabasePlugin } from './port.ts'
import { CONNECTION, type ConnectionRecord } from './records.ts'

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
