import { invalid } from '../../../core/base/errors.ts'
import { canonicalVersion } from '../../../core/base/semver.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { memberNames, memberOf } from '../../../core/json/wide-object.ts'
import { newGeneration } from '../../credentials/client-cache.ts'
import { templateContext } from '../../credentials/name-template.ts'
import { verifyLogin } from '../database-calls.ts'
import { pluginOf } from '../find-connection.ts'
import type { ConnectionDetails, DatabasePlugin } from '../port.ts'
import { CONNECTION, type ConnectionRecord } from '../records.ts'
import { validateUsernameTemplate } from '../username.ts'
import { configureDetails, warningsAbout } from './details.ts'
import { CONNECTION_FIELDS, DETAIL_NAMES } from './fields.ts'

const NEW_CONNECTION: ConnectionRecord = {
  plugin_name: '',
  plugin_version: '',
  details: {},
  allowed_roles: [],
  root_rotation_statements: [],
  password_policy: '',
  generation: '',
}

/**
 * @throws KernelError 400 if a new connection has no `plugin_name`, if the kernel does not have the plugin of the connection, if the plugin
 *   does not accept the details, if `username_template` is invalid, or if the database refuses the login or cannot be reached. With
 *   `verify_connection: false` there is no login.
 */
export const writeConnection = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/:name',
  forwardable: true,
  summary: 'Creates a connection to a database, or changes the given parameters of an existing one.',
  fields: CONNECTION_FIELDS,
  rest: 'connection_details',
  returns: {},
  exists: (tx, { name = '' }) => tx.get(CONNECTION, name) !== undefined,
  run: (tx, input) => {
    const { name } = input
    const old = tx.get(CONNECTION, name) ?? NEW_CONNECTION
    const plugin_name = input.plugin_name ?? old.plugin_name
    if (plugin_name === '') throw invalid('plugin_name: is required')
    const plugin_version =
      input.plugin_version === undefined ? old.plugin_version : canonicalVersion(input.plugin_version, 'plugin_version')
    const plugin = pluginOf(tx.env, { plugin_name, plugin_version })
    const record: ConnectionRecord = {
      plugin_name,
      plugin_version,
      details: configure(plugin, { ...old.details, ...givenDetails(input) }, tx),
      allowed_roles: input.allowed_roles ?? old.allowed_roles,
      root_rotation_statements:
        input.root_rotation_statements ?? input.root_credentials_rotate_statements ?? old.root_rotation_statements,
      password_policy: input.password_policy ?? old.password_policy,
      generation: newGeneration(tx),
    }
    for (const warning of warningsAbout(plugin, record.details)) tx.warn(warning)
    // Put the record before calling the database, so that a connection that cannot be stored is refused without a login.
    tx.put(CONNECTION, name, record)
    if (input.verify_connection) verifyLogin(tx, { name, record, code: 'ERR_INVALID_REQUEST' })
    tx.event('connection.written', { name, plugin_name })
    return undefined
  },
})

type DetailInput = Readonly<Record<(typeof DETAIL_NAMES)[number], unknown>> & { readonly connection_details?: object | undefined }

function givenDetails(input: DetailInput): ConnectionDetails {
  const { connection_details = {} } = input
  const named = DETAIL_NAMES.filter((name) => input[name] !== undefined)
  return Object.fromEntries([
    ...Array.from(memberNames(connection_details), (name) => [name, memberOf(connection_details, name)] as const),
    ...named.map((name) => [name, input[name]] as const),
  ])
}

/** @throws KernelError 400 if the plugin refuses the details or the username template is invalid */
function configure(plugin: DatabasePlugin, details: ConnectionDetails, tx: Tx): ConnectionDetails {
  const template = details['username_template']
  if (template !== undefined && template !== '') {
    if (typeof template !== 'string') throw invalid('username_template: must be a string')
    validateUsernameTemplate(template, templateContext(tx))
  }
  return configureDetails(plugin, details)
}
