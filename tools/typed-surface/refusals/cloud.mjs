// The documented refusals of the methods of the cloud engine, by method and HTTP status.
import { ifAny } from './conditions.mjs'

const OUTSIDE = ifAny(
  'the cloud refuses or throttles the call',
  'the call fails in the cloud',
  'the cloud does not answer in time',
)
/** @param {string} user whose access keys the operation changes */
const busy = (user) => [
  `another operation is changing the access keys of ${user}`,
  `it is not known yet whether an earlier change of the access keys of ${user} took effect`,
]
const ROOT_USER = 'the IAM user of the root configuration'
const ROLE_USER = 'the IAM user of the role'
const NO_ROOT = 'the root configuration of the mount does not exist'
const NO_ROLE = 'if the role does not exist.'

/** @param {'creds' | 'sts'} other the other of the two methods */
const creds = (other) => ({
  400: `${ifAny(
    'the role does not exist',
    NO_ROOT,
    'the role does not allow the `role_arn`',
    'the role allows several role ARNs and `role_arn` is missing',
    `the role was written with \`policy\` or \`arn\` and its credentials are available only from \`${other}\``,
    'the policies of the role and of its groups cannot be combined into one session policy',
    "this request is the last use of the caller's token",
  )} After the last use of a token, its leases end.`,
  500: 'if `username_template` produces a name that is too long.',
  502: OUTSIDE,
  503: ifAny(
    'the role or the mount is changed during the request',
    'a user with the generated name is being created or removed by another request',
  ),
})

export const CLOUD = {
  configureRoot: {
    400: ifAny(
      'only one of `access_key` and `secret_key` is given',
      '`access_key` and `secret_key` are both missing and the mount is not allowed to use the ambient credentials of `ports.cloud`',
      '`username_template` is invalid',
    ),
  },
  readRoot: { 404: 'if the mount is not configured.' },
  rotateRoot: {
    400: ifAny(
      NO_ROOT,
      'the root configuration has no access key',
      'the IAM user of the root configuration has a second access key that may be in use',
    ),
    502: `${OUTSIDE} The stored key remains usable.`,
    503: ifAny(...busy(ROOT_USER), 'another request changes the root configuration during the rotation'),
  },
  configureLease: { 400: 'if a duration is invalid, negative, or has the unit `d`.' },
  readLease: { 404: 'if the mount is not configured.' },
  writeRole: {
    400: `${ifAny(
      'a new role has no `credential_type`',
      '`credential_type` is unknown',
      'a parameter that the credential type requires is missing',
      'a parameter is given that the credential type does not allow',
      'a path, an ARN or a policy is invalid',
      '`default_sts_ttl` is above `max_sts_ttl`',
    )} The message contains all errors, and nothing is stored.`,
  },
  readRole: { 404: NO_ROLE },
  listRoles: {},
  deleteRole: { 404: NO_ROLE },
  creds: creds('sts'),
  sts: creds('creds'),
  writeStaticRole: {
    400: `${ifAny(
      'a new role has no `username` or no `rotation_period`',
      '`rotation_period` is below 60 seconds',
      'the cloud has no IAM user with the name `username`',
      'the role exists and has another user than `username`',
      'the IAM user `username` already has two access keys that static roles or the root configuration use',
      'a concurrent request creates or deletes the role',
      NO_ROOT,
    )} A user that was deleted and created again counts as another user.`,
    502: `${OUTSIDE} If no key was created for a new role, nothing is stored.`,
    503: ifAny(...busy(ROLE_USER)),
  },
  readStaticRole: { 404: NO_ROLE },
  deleteStaticRole: { 502: `${OUTSIDE} The role is then kept.`, 503: ifAny(...busy(ROLE_USER)) },
  staticCreds: { 404: NO_ROLE },
}
