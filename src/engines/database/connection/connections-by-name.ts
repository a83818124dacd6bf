import { notFound } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { newGeneration } from '../../credentials/client-cache.ts'
import { deleteByName, listNames, readByName, shownTexts } from '../../credentials/named-records.ts'
import { connectionsOf } from '../connections.ts'
import { verifyLogin } from '../database-calls.ts'
import { pluginOf } from '../find-connection.ts'
import { CONNECTION } from '../records.ts'
import { redactDetails } from './details.ts'
import { CONNECTION_NAME } from './fields.ts'

/**
 * @throws KernelError 400 if the kernel does not have the plugin of the connection.
 * @throws KernelError 404 if the connection does not exist.
 */
export const readConnection = readByName({
  path: '/config/:name',
  summary: 'Reads a connection. Its password is never returned.',
  records: CONNECTION,
  name: CONNECTION_NAME,
  returns: {
    plugin_name: f.text('The name of the plugin in `ports.databases`.'),
    plugin_version: f.text('The required plugin version; empty if any version may be used.'),
    connection_details: f.json<Readonly<Record<string, unknown>>>('The parameters of the plugin, without secrets.'),
    allowed_roles: shownTexts('Names and patterns of the roles that may use the connection.'),
    root_credentials_rotate_statements: shownTexts('Statements that change the password of the connection’s own user.'),
    password_policy: f.text('The password policy for users of this connection; empty if the default policy is used.'),
  },
  shown: (found, _name, tx) => {
    const { plugin_name, plugin_version, details, allowed_roles, root_rotation_statements, password_policy } = found
    return {
      plugin_name,
      plugin_version,
      connection_details: redactDetails(pluginOf(tx.env, found), details),
      allowed_roles: [...allowed_roles],
      root_credentials_rotate_statements: [...root_rotation_statements],
      password_policy,
    }
  },
})

/** @throws no errors of its own. */
export const listConnections = listNames('/config', 'connections', CONNECTION)

/** @throws no errors of its own. */
export const deleteConnection = deleteByName({
  path: '/config/:name',
  summary:
    'Deletes a connection. The leases of users that were created through the connection remain, and cannot be revoked until a connection with this name exists again.',
  records: CONNECTION,
  name: CONNECTION_NAME,
  event: 'connection.deleted',
  onDelete: (tx, name) => connectionsOf(tx.env).close({ mount: tx.call.mount.uuid, name }),
})

/**
 * @throws KernelError 400 if the kernel does not have the plugin of the connection.
 * @throws KernelError 404 if the connection does not exist.
 * @throws KernelError 502 if the database refuses the call, if the database cannot be reached, or if the database does not answer in time.
 */
export const resetConnection = operation({
  kind: 'write',
  verb: 'POST',
  path: '/reset/:name',
  forwardable: true,
  summary: 'Closes the open connections to a database and logs in again.',
  fields: { name: CONNECTION_NAME },
  returns: {},
  run: (tx, { name }) => {
    const found = tx.get(CONNECTION, name)
    if (!found) throw notFound(`there is no connection named ${name}`)
    // Change the generation, so that every process opens the connection again.
    const record = { ...found, generation: newGeneration(tx) }
    verifyLogin(tx, { name, record, code: 'ERR_UPSTREAM' })
    tx.put(CONNECTION, name, record)
    tx.event('connection.reset', { name })
    return undefined
  },
})
