import { notFound } from '../../../core/base/errors.ts'
import { base62 } from '../../../core/base/identifiers.ts'
import { PAGE_FIELDS, pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { DatabaseConnections } from '../connections.ts'
import { verifyLogin } from '../database-calls.ts'
import { pluginOf } from '../plugins.ts'
import { CONNECTION } from '../records.ts'
import { redactDetails } from './details.ts'
import { CONNECTION_NAME } from './fields.ts'

const STRING_LIST = { type: 'array', items: { type: 'string' } }

export const readConnection = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/:name',
  summary: 'Reads a connection. Its password is never returned.',
  fields: { name: CONNECTION_NAME },
  returns: {
    plugin_name: f.text('The name of the plugin in `ports.databases`.'),
    plugin_version: f.text('The required plugin version; empty if any version may be used.'),
    connection_details: f.json<Readonly<Record<string, unknown>>>('The parameters of the plugin, without secrets.'),
    allowed_roles: f.json<readonly string[]>('Names and patterns of the roles that may use the connection.', STRING_LIST),
    root_credentials_rotate_statements: f.json<readonly string[]>(
      'Statements that change the password of the connection’s own user.',
      STRING_LIST,
    ),
    password_policy: f.text('The password policy for users of this connection; empty if the default policy is used.'),
  },
  run: (tx, { name }) => {
    const found = tx.get(CONNECTION, name)
    if (!found) return undefined
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

export const listConnections = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/config',
  summary: 'Lists the names of all connections, in byte order.',
  fields: PAGE_FIELDS,
  returns: { keys: f.json<readonly string[]>('The names of the connections.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(CONNECTION, pageOptions(page)) }),
})

export const deleteConnection = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/config/:name',
  forwardable: true,
  summary:
    'Deletes a connection. The leases of users that were created through the connection remain, and cannot be revoked until a connection with this name exists again.',
  fields: { name: CONNECTION_NAME },
  returns: {},
  run: (tx, { name }) => {
    if (!tx.get(CONNECTION, name)) return undefined
    tx.delete(CONNECTION, name)
    DatabaseConnections.of(tx.env).close({ mount: tx.call.mount.uuid, name })
    tx.event('connection.deleted', { name })
    return undefined
  },
})

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
    const record = { ...found, generation: tx.once('generation', async () => base62(tx.env.entropy, 16)) }
    verifyLogin(tx, { name, record, code: 'ERR_UPSTREAM' })
    tx.put(CONNECTION, name, record)
    tx.event('connection.reset', { name })
    return undefined
  },
})
