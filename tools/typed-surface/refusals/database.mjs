// When methods of the database engine and of the plugin catalog refuse, by status, in addition to the errors of every method. Derived from the operations.

const CONNECTION = 'if the connection of the role does not exist'
const PLUGIN = 'if the kernel does not have the plugin'
const OUTSIDE = 'if the database refuses the call, cannot be reached, or does not answer in time.'
const NOT_ALLOWED = 'if the connection does not allow the role.'
const BUSY = 'while an earlier call of this operation is in progress, or while its outcome is unknown.'

export const DATABASE = {
  writeConnection: {
    400: `if a new connection has no \`plugin_name\`, ${PLUGIN}, if the plugin does not accept the details, if the template is invalid, or, unless \`verify_connection\` is false, if the database refuses the login or cannot be reached.`,
  },
  readConnection: { 400: `${PLUGIN}.`, 404: 'if the connection does not exist.' },
  listConnections: {},
  deleteConnection: {},
  resetConnection: { 400: `${PLUGIN}.`, 404: 'if the connection does not exist.', 502: OUTSIDE },
  rotateRoot: {
    400: 'if the connection has no user or no password, or if the password policy does not exist or cannot be satisfied.',
    404: 'if the connection does not exist.',
    502: OUTSIDE,
    503: BUSY,
  },
  writeRole: {
    400: 'if a new role has no `db_name` or no `creation_statements`, if a static role has the same name, or if `credential_config` is invalid.',
  },
  readRole: { 404: 'if the role does not exist.' },
  listRoles: {},
  deleteRole: {},
  creds: {
    400: `if the role does not exist; ${CONNECTION}; ${PLUGIN}, or the plugin does not support the credential type; if the password policy does not exist; if the generated user name is too long for the database or contains unsafe characters; if the request is the last use of a token.`,
    403: NOT_ALLOWED,
    502: OUTSIDE,
  },
  writeStaticRole: {
    400: `if a new role has no \`username\`, no \`db_name\`, or neither a rotation period nor a schedule; if an existing role gets another \`username\`; if a dynamic role has the same name; ${CONNECTION}; if the period is below 5 seconds, the window is below an hour, or the schedule is invalid.`,
    403: NOT_ALLOWED,
    502: 'if the database refuses the call, cannot be reached, or does not answer in time. After a refusal, nothing is stored.',
    503: BUSY,
  },
  readStaticRole: { 404: 'if the role does not exist.' },
  listStaticRoles: {},
  deleteStaticRole: {},
  staticCreds: { 400: `if the role does not exist, or ${CONNECTION}.`, 403: NOT_ALLOWED },
  rotateRole: {
    400: `if the role does not exist, or ${CONNECTION}.`,
    403: NOT_ALLOWED,
    502: 'if the database refuses the call, cannot be reached, or does not answer in time. Background work then retries the rotation.',
    503: BUSY,
  },
}

const TYPE = 'if the type is unknown.'

const RUNTIME_TYPE = 'if the type is not `container`.'

export const PLUGINS = {
  readCatalog: {},
  listPlugins: { 405: TYPE },
  readPlugin: { 400: 'if the version is invalid.', 404: 'if the plugin does not exist.', 405: TYPE },
  writePlugin: {
    400: 'if `sha256` is missing, if `command` and `oci_image` are both missing, if the digest or the version is invalid, if the command is outside of the plugin directory, if the runtime is not registered, or if `oci_image` has more than 4,096 characters.',
    405: TYPE,
  },
  deletePlugin: { 400: 'if the version is invalid.', 405: TYPE },
  reloadPlugins: { 400: 'if `plugin` and `mounts` are both missing.' },
  writeRuntime: {
    400: 'if the type is not `container`, if a limit is negative, or if a string has more than 4,096 characters.',
  },
  readRuntime: { 400: RUNTIME_TYPE, 404: 'if the runtime does not exist.' },
  listRuntimes: { 400: RUNTIME_TYPE },
  deleteRuntime: {
    400: 'if the type is not `container`, or if any version of a registered plugin refers to the runtime.',
    404: 'if the runtime does not exist.',
  },
}
