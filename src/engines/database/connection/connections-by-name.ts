/**
 * Reading, listing, deleting and resetting connections (spec document 1, "Read connection" to "Reset connection").
 */
import { notFound } from '../../../core/base/errors.ts'
import { base62 } from '../../../core/base/identifiers.ts'
import { PAGE_FIELDS, pageOf } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { DatabaseConnections } from '../connections.ts'
import { verifyLogin } from '../database-calls.ts'
import { pluginOf } from '../plugins.ts'
import { CONNECTION } from '../records.ts'
import { redactDetails } from './details.ts'
import { NAME } from './fields.ts'

const STRING_LIST = { type: 'array', items: { type: 'string' } }

export const readConnection = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/:name',
  summary: 'Shows a connection. Never its password.',
  fields: { name: NAME },
  returns: {
    plugin_name: f.text('The plugin.'),
    plugin_version: f.text('Its version; empty: whichever there is.'),
    connection_details: f.json<Readonly<Record<string, unknown>>>('What the plugin takes, without what is secret.'),
    allowed_roles: f.json<readonly string[]>('Names of roles, and patterns.', STRING_LIST),
    root_credentials_rotate_statements: f.json<readonly string[]>(
      'Statements that change the password of its user.',
      STRING_LIST,
    ),
    password_policy: f.text('The password policy for its users; empty: the default one.'),
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
  returns: { keys: f.json<readonly string[]>('Names.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(CONNECTION, pageOf(page)) }),
})

export const deleteConnection = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/config/:name',
  forwardable: true,
  summary: 'Deletes a connection. Its users and their leases stay: they are revoked once it is there again.',
  fields: { name: NAME },
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
  summary: 'Closes what is open to a database, and logs in anew.',
  fields: { name: NAME },
  returns: {},
  run: (tx, { name }) => {
    const found = tx.get(CONNECTION, name)
    if (!found) throw notFound(`there is no connection named ${name}`)
    // Another generation, so that every process that has it open opens it anew.
    const record = { ...found, generation: tx.once('generation', async () => base62(tx.env.entropy, 16)) }
    verifyLogin(tx, { name, record, code: 'ERR_UPSTREAM' })
    tx.put(CONNECTION, name, record)
    tx.event('connection.reset', { name })
    return undefined
  },
})
