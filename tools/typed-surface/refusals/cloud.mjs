// When the methods of the cloud engine refuse, by status, beside what every method does. Read off the operations.

const NO_ROLE = 'when there is no such role.'

export const CLOUD = {
  configureRoot: {
    400: 'for one of `access_key` and `secret_key` without the other, for neither where `ports.cloud` has no credentials of its own, and for a template that is none.',
  },
  readRoot: { 404: 'when nothing is configured.' },
  configureLease: { 400: 'for a duration that is none, is negative, or is in days.' },
  readLease: { 404: 'when nothing is configured.' },
  writeRole: {
    400: 'with all mistakes in one message: without `credential_type` for a new role, for an unknown one, without `role_arns` for `assumed_role`, without `policy_arns` and `policy_document` for the other types, for what does not go with the type, for a path, an ARN or a policy that is none, and for a default above the maximum. Then nothing is stored.',
  },
  readRole: { 404: NO_ROLE },
  listRoles: {},
  deleteRole: { 404: NO_ROLE },
}
