// When the methods of the cloud engine refuse, by status, beside what every method does. Read off the operations.

const OUTSIDE = 'when the cloud refuses, fails, asks for fewer requests, or does not answer in time.'
const BUSY = 'while work on the same keys is under way, or its end is not known yet.'
const CREDS = {
  400: 'when there is no such role or no root configuration, for a `role_arn` that the role does not allow or that is left out where it has several, for a role written by `policy` or `arn` that belongs to the other method, for a policy of a group that cannot be joined, and with the last use of a token.',
  500: 'for a name that the template makes too long.',
  502: OUTSIDE,
  503: 'when role or mount are changed meanwhile, and while a user of the same name is being made or removed.',
}

const NO_ROLE = 'when there is no such role.'

export const CLOUD = {
  configureRoot: {
    400: 'for one of `access_key` and `secret_key` without the other, for neither where `ports.cloud` has no credentials of its own, and for a template that is none.',
  },
  readRoot: { 404: 'when nothing is configured.' },
  rotateRoot: {
    400: 'when there is no root configuration, when it has no key, and when its user has another key.',
    502: `${OUTSIDE.slice(0, -1)}: the key that is stored is one that works.`,
    503: BUSY,
  },
  configureLease: { 400: 'for a duration that is none, is negative, or is in days.' },
  readLease: { 404: 'when nothing is configured.' },
  writeRole: {
    400: 'with all mistakes in one message: without `credential_type` for a new role, for an unknown one, without `role_arns` for `assumed_role`, without `policy_arns` and `policy_document` for the other types, for what does not go with the type, for a path, an ARN or a policy that is none, and for a default above the maximum. Then nothing is stored.',
  },
  readRole: { 404: NO_ROLE },
  listRoles: {},
  deleteRole: { 404: NO_ROLE },
  creds: CREDS,
  sts: CREDS,
  writeStaticRole: {
    400: 'without `username` or `rotation_period` for a new role, for a period below 60 seconds, when there is no such user, for another user than before, one made anew under its name included, and without a root configuration.',
    502: `${OUTSIDE.slice(0, -1)}: of a creation that fails nothing is stored.`,
    503: BUSY,
  },
  readStaticRole: { 404: NO_ROLE },
  deleteStaticRole: { 502: `${OUTSIDE.slice(0, -1)}: the role stays.`, 503: BUSY },
  staticCreds: { 404: NO_ROLE },
}
