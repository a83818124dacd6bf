// The documented refusals of the methods of the database engine, by method and HTTP status.
import { ifAny } from './conditions.mjs'

const NO_ROLE = 'the role does not exist'
const NO_CONNECTION = 'the connection of the role does not exist'
const NO_PLUGIN = 'the kernel does not have the plugin of the connection'
const OUTSIDE = ifAny('the database refuses the call', 'the database cannot be reached', 'the database does not answer in time')
const NOT_ALLOWED = 'if the connection does not allow the role.'
const UNKNOWN_CONNECTION = 'if the connection does not exist.'

/** @param {string} credential that the operation changes */
const busy = (credential) =>
  ifAny(
    `an earlier change of ${credential} is in progress`,
    `it is not known yet whether an earlier change of ${credential} took effect`,
  )

export const DATABASE = {
  writeConnection: {
    400: `${ifAny(
      'a new connection has no `plugin_name`',
      NO_PLUGIN,
      'the plugin does not accept the details',
      '`username_template` is invalid',
      'the database refuses the login or cannot be reached',
    )} With \`verify_connection: false\` there is no login.`,
  },
  readConnection: { 400: ifAny(NO_PLUGIN), 404: UNKNOWN_CONNECTION },
  listConnections: {},
  deleteConnection: {},
  resetConnection: { 400: ifAny(NO_PLUGIN), 404: UNKNOWN_CONNECTION, 502: OUTSIDE },
  rotateRoot: {
    400: ifAny(
      'the connection has no user or no password',
      'the password policy of the connection does not exist or cannot be satisfied',
    ),
    404: UNKNOWN_CONNECTION,
    502: OUTSIDE,
    503: busy('the password of the connection'),
  },
  writeRole: {
    400: ifAny(
      'a new role has no `db_name` or no `creation_statements`',
      'a static role has the same name',
      '`credential_config` is invalid',
    ),
  },
  readRole: { 404: ifAny(NO_ROLE) },
  listRoles: {},
  deleteRole: {},
  creds: {
    400: `${ifAny(
      NO_ROLE,
      NO_CONNECTION,
      NO_PLUGIN,
      'the plugin does not support the credential type of the role',
      'the password policy does not exist',
      'the generated user name is too long for the database or contains unsafe characters',
      "this request is the last use of the caller's token",
    )} After the last use of a token, its leases end.`,
    403: NOT_ALLOWED,
    502: OUTSIDE,
  },
  writeStaticRole: {
    400: ifAny(
      'a new role has no `username` or no `db_name`',
      'a new role has neither `rotation_period` nor `rotation_schedule`',
      '`rotation_period` and `rotation_schedule` are both given',
      '`username` differs from the user of the existing role',
      'a dynamic role has the same name',
      NO_CONNECTION,
      '`rotation_period` is below 5 seconds',
      '`rotation_window` is below an hour',
      '`rotation_schedule` is invalid',
    ),
    403: NOT_ALLOWED,
    502: `${OUTSIDE} If the database refused the call, nothing is stored.`,
    503: busy('the credential of the role'),
  },
  readStaticRole: { 404: ifAny(NO_ROLE) },
  listStaticRoles: {},
  deleteStaticRole: {},
  staticCreds: { 400: ifAny(NO_ROLE, NO_CONNECTION), 403: NOT_ALLOWED },
  rotateRole: {
    400: ifAny(NO_ROLE, NO_CONNECTION),
    403: NOT_ALLOWED,
    502: `${OUTSIDE} Background work then retries the rotation.`,
    503: busy('the credential of the role'),
  },
}
