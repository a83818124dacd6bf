// When methods of the cloud engine refuse, by status, in addition to the errors of every method. Derived from the operations.

const OUTSIDE = 'if the cloud refuses or throttles the call, fails, or does not answer in time.'
const BUSY =
  'while another operation is changing the access keys of the same user, or while the outcome of that operation is unknown.'
const CREDS = {
  400: 'if the role or the root configuration does not exist; if the role does not allow the `role_arn`, or allows several and `role_arn` is missing; if the role was written with `policy` or `arn` and only the other of `creds` and `sts` is available for it; if the policies of the role and its groups cannot be combined; if the request is the last use of a token.',
  500: 'if the template produces a name that is too long.',
  502: OUTSIDE,
  503: 'if the role or the mount is changed during the request, or while a user with the generated name is being created or removed.',
}

const NO_ROLE = 'if the role does not exist.'

export const CLOUD = {
  configureRoot: {
    400: 'if only one of `access_key` and `secret_key` is given; if both are missing and the mount may not use ambient credentials of `ports.cloud`; if the template is invalid.',
  },
  readRoot: { 404: 'if the mount is not configured.' },
  rotateRoot: {
    400: 'if the root configuration does not exist or has no access key, or if its user has another access key.',
    502: `${OUTSIDE} The stored key remains usable.`,
    503: BUSY,
  },
  configureLease: { 400: 'if a duration is invalid, negative, or has the unit `d`.' },
  readLease: { 404: 'if the mount is not configured.' },
  writeRole: {
    400: 'if a new role has no `credential_type`, or the type is unknown; if a parameter that the type requires is missing, or the type does not allow a parameter; if a path, an ARN or a policy is invalid; if `default_sts_ttl` is above `max_sts_ttl`. The message contains all errors, and nothing is stored.',
  },
  readRole: { 404: NO_ROLE },
  listRoles: {},
  deleteRole: { 404: NO_ROLE },
  creds: CREDS,
  sts: CREDS,
  writeStaticRole: {
    400: 'if a new role has no `username` or no `rotation_period`; if the period is below 60 seconds; if the user does not exist; if `username` is not the user of an existing role (a user that was deleted and created again is another user); if the root configuration does not exist.',
    502: `${OUTSIDE} If no key was created for a new role, nothing is stored.`,
    503: BUSY,
  },
  readStaticRole: { 404: NO_ROLE },
  deleteStaticRole: { 502: `${OUTSIDE} The role is then kept.`, 503: BUSY },
  staticCreds: { 404: NO_ROLE },
}
