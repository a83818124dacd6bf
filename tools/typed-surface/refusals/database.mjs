// When the methods of the database engine and of the catalogue of plugins refuse, by status, beside what every method does. Read off the operations.

const CONNECTION = 'when the role names a connection that is not there'
const PLUGIN = 'when the kernel was given no such plugin'
const OUTSIDE = 'when the database refuses, cannot be reached, or does not answer in time.'
const NOT_ALLOWED = 'when the connection does not allow the role.'
const BUSY = 'while the same is under way, or its end is not known yet.'

export const DATABASE = {
  writeConnection: {
    400: `without \`plugin_name\` for a new connection, ${PLUGIN}, for details that the plugin does not take, for a template that is none, and, unless \`verify_connection\` is false, when the database refuses the login or cannot be reached.`,
  },
  readConnection: { 400: `${PLUGIN}.`, 404: 'when there is no such connection.' },
  listConnections: {},
  deleteConnection: {},
  resetConnection: { 400: `${PLUGIN}.`, 404: 'when there is no such connection.', 502: OUTSIDE },
  rotateRoot: {
    400: 'when the connection has no user or no password, and for a password policy that is not there or cannot be met.',
    404: 'when there is no such connection.',
    502: OUTSIDE,
    503: BUSY,
  },
  writeRole: {
    400: 'without `db_name` or `creation_statements` for a new role, when a static role has the name, and for a `credential_config` that is none.',
  },
  readRole: { 404: 'when there is no such role.' },
  listRoles: {},
  deleteRole: {},
  creds: {
    400: `when there is no such role, ${CONNECTION}, ${PLUGIN} or it makes no such credentials, for a password policy that is not there, for a name that the database would not keep as it is, and with the last use of a token.`,
    403: NOT_ALLOWED,
    502: OUTSIDE,
  },
  writeStaticRole: {
    400: `without \`username\`, \`db_name\` and one of period and schedule for a new role, for another user than before, when a role has the name, ${CONNECTION}, for a period below 5 seconds, a window below an hour, and a schedule that is none.`,
    403: NOT_ALLOWED,
    502: 'when the database refuses, cannot be reached, or does not answer in time: of a refusal nothing is stored.',
    503: BUSY,
  },
  readStaticRole: { 404: 'when there is no such role.' },
  listStaticRoles: {},
  deleteStaticRole: {},
  staticCreds: { 400: `when there is no such role, and ${CONNECTION}.`, 403: NOT_ALLOWED },
  rotateRole: {
    400: `when there is no such role, and ${CONNECTION}.`,
    403: NOT_ALLOWED,
    502: 'when the database refuses, cannot be reached, or does not answer in time: it is tried again in the background.',
    503: BUSY,
  },
}

const TYPE = 'for a type that is none.'

const RUNTIME_TYPE = 'for a type other than `container`.'

export const PLUGINS = {
  readCatalog: {},
  listPlugins: { 405: TYPE },
  readPlugin: { 400: 'for a version that is none.', 404: 'when there is no such plugin.', 405: TYPE },
  writePlugin: {
    400: 'without `sha256`, without `command` and `oci_image`, for a digest or a version that is none, for a command that leads out of its folder, for a runtime that is not registered, and for an `oci_image` of more than 4,096 characters.',
    405: TYPE,
  },
  deletePlugin: { 400: 'for a version that is none.', 405: TYPE },
  reloadPlugins: { 400: 'unless one of `plugin` and `mounts` is given.' },
  writeRuntime: {
    400: 'for a type other than `container`, for limits below 0, and for texts of more than 4,096 characters.',
  },
  readRuntime: { 400: RUNTIME_TYPE, 404: 'when there is no such runtime.' },
  listRuntimes: { 400: RUNTIME_TYPE },
  deleteRuntime: {
    400: 'for a type other than `container`, and when a registered plugin names the runtime, whichever version of it.',
    404: 'when there is no such runtime.',
  },
}
