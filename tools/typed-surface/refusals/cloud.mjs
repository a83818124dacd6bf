// When methods of the cloud engine refuse, by status, in addition to the errors of every method. Derived from the operations.

const OUTSIDE = 'if the cloud refuses, fails, throttles, or does not answer in time.'
const BUSY = 'while another operation on the same keys is in progress, or its outcome is unknown.'
const CREDS = {
  400: 'if the role or the root configuration does not exist, for a `role_arn` that the role does not allow or if it is omitted and the role allows several, for a role written by `policy` or `arn` that belongs to the other method, for a policy of a group that cannot be joined, and for the last use of a token.',
  500: 'if the template results in a name that is too long.',
  502: OUTSIDE,
  503: 'if role or mount change concurrently, and while a user of the same name is being created or removed.',
}

const NO_ROLE = 'if the role does not exist.'

export const CLOUD = {
  configureRoot: {
    400: 'for one of `access_key` and `secret_key` without the other, for neither if `ports.cloud` has no credentials of its own, and for an invalid template.',
  },
  readRoot: { 404: 'if the mount is not configured.' },
  rotateRoot: {
    400: 'without a root configuration, if it has no key, and if its user has another key.',
    502: `${OUTSIDE.slice(0, -1)}: the key that is stored is one that works.`,
    503: BUSY,
  },
  configureLease: { 400: 'for an invalid duration, a negative one, and one in days.' },
  readLease: { 404: 'if the mount is not configured.' },
  writeRole: {
    400: 'with all mistakes in one message: without `credential_type` for a new role, for an unknown one, without `role_arns` for `assumed_role`, without `policy_arns` and `policy_document` for the other types, for parameters that do not apply to the type, for an invalid path, ARN or policy, and for a default above the maximum. Nothing is stored then.',
  },
  readRole: { 404: NO_ROLE },
  listRoles: {},
  deleteRole: { 404: NO_ROLE },
  creds: CREDS,
  sts: CREDS,
  writeStaticRole: {
    400: 'without `username` or `rotation_period` for a new role, for a period below 60 seconds, if the user does not exist, for another user than before, including one that was created again under the same name, and without a root configuration.',
    502: `${OUTSIDE.slice(0, -1)}: after a failed creation nothing is stored.`,
    503: BUSY,
  },
  readStaticRole: { 404: NO_ROLE },
  deleteStaticRole: { 502: `${OUTSIDE.slice(0, -1)}: the role stays.`, 503: BUSY },
  staticCreds: { 404: NO_ROLE },
}
