// When methods of the database engine and of the catalogue of plugins refuse, by status, in addition to the errors of every method. Derived from the operations.

const CONNECTION = 'if the connection of the role does not exist'
const PLUGIN = 'if the kernel does not have the plugin'
const OUTSIDE = 'if the database refuses, cannot be reached, or does not answer in time.'
const NOT_ALLOWED = 'if the connection does not allow the role.'
const BUSY = 'while the same operation is in progress, or its outcome is unknown.'

export const DATABASE = {
  writeConnection: {
    400: `without \`plugin_name\` for a new connection, ${PLUGIN}, for details that the plugin does not accept, for an invalid template, and, unless \`verify_connection\` is false, if the database refuses the login or cannot be reached.`,
  },
  readConnection: { 400: `${PLUGIN}.`, 404: 'if the connection does not exist.' },
  listConnections: {},
  deleteConnection: {},
  resetConnection: { 400: `${PLUGIN}.`, 404: 'if the connection does not exist.', 502: OUTSIDE },
  rotateRoot: {
    400: 'if the connection has no user or no password, and for a password policy that does not exist or cannot be satisfied.',
    404: 'if the connection does not exist.',
    502: OUTSIDE,
    503: BUSY,
  },
  writeRole: {
    400: 'without `db_name` or `creation_statements` for a new role, if a static role has the name, and for an invalid `credential_config`.',
  },
  readRole: { 404: 'if the role does not exist.' },
  listRoles: {},
  deleteRole: {},
  creds: {
    400: `if the role does not exist, ${CONNECTION}, ${PLUGIN} or it does not support the credential type, for a password policy that does not exist, for a name that the database would change, and for the last use of a token.`,
    403: NOT_ALLOWED,
    502: OUTSIDE,
  },
  writeStaticRole: {
    400: `without \`username\`, \`db_name\` and one of period and schedule for a new role, for another user than before, if a dynamic role has the name, ${CONNECTION}, for a period below 5 seconds, a window below an hour, and an invalid schedule.`,
    403: NOT_ALLOWED,
    502: 'if the database refuses, cannot be reached, or does not answer in time: after a refusal nothing is stored.',
    503: BUSY,
  },
  readStaticRole: { 404: 'if the role does not exist.' },
  listStaticRoles: {},
  deleteStaticRole: {},
  staticCreds: { 400: `if the role does not exist, and ${CONNECTION}.`, 403: NOT_ALLOWED },
  rotateRole: {
    400: `if the role does not exist, and ${CONNECTION}.`,
    403: NOT_ALLOWED,
    502: 'if the database refuses, cannot be reached, or does not answer in time: background work retries it.',
    503: BUSY,
  },
}

const TYPE = 'for an unknown type.'

const RUNTIME_TYPE = 'for a type other than `container`.'

export const PLUGINS = {
  readCatalog: {},
  listPlugins: { 405: TYPE },
  readPlugin: { 400: 'for an invalid version.', 404: 'if the plugin does not exist.', 405: TYPE },
  writePlugin: {
    400: 'without `sha256`, without `command` and `oci_image`, for an invalid digest or version, for a command outside of the plugin directory, for a runtime that is not registered, and for an `oci_image` of more than 4,096 characters.',
    405: TYPE,
  },
  deletePlugin: { 400: 'for an invalid version.', 405: TYPE },
  reloadPlugins: { 400: 'without `plugin` and `mounts`.' },
  writeRuntime: {
    400: 'for a type other than `container`, for negative limits, and for texts of more than 4,096 characters.',
  },
  readRuntime: { 400: RUNTIME_TYPE, 404: 'if the runtime does not exist.' },
  listRuntimes: { 400: RUNTIME_TYPE },
  deleteRuntime: {
    400: 'for a type other than `container`, and if any version of a registered plugin refers to the runtime.',
    404: 'if the runtime does not exist.',
  },
}
