// When methods of tokens and of the orchestrator auth method refuse, by status, in addition to the errors of every method. Derived from the operations.

export const ORCHESTRATOR = {
  configure: {
    400: 'if the host is missing; if a certificate or key cannot be parsed; if there are more than 32 keys; if neither `orchestrator_ca_cert` nor `pem_keys` is given and no local certificates are used.',
  },
  readConfig: { 404: 'if the method is not configured.' },
  writeRole: {
    400: 'if a new role has no service account names or no namespaces; if `*` is combined with other patterns; if a network is invalid; if `token_ttl` is above `token_max_ttl`; if the role issues batch tokens and has a period or a number of uses.',
  },
  readRole: { 404: 'if the role does not exist.' },
  listRoles: {},
  deleteRole: {},
  login: {
    400: 'if the role does not exist, or if the auth method is not configured.',
    403: 'for every refused login. The message is always the same; the reason is in the audit log and in the event `login.refused`.',
    429: 'if too many recent tokens had a wrong signature. Try again after a second.',
  },
}

const MAKER = 'if the token of the caller is a batch token or has a limited number of uses'
const GRANT =
  'if the caller does not have one of the policies, or the role does not allow the policy; if the application names no policies; if a parameter requires `sudo` (`period`, `no_parent`, `id`, another namespace) and the caller does not have it; if a duration is malformed; if a parameter for service tokens is given for a batch token'
const NO_ACCESSOR = 'if the accessor is unknown.'
const NO_CALLER = 'if the caller has no token: call this on a view made by `as(token)`'
const RENEWABLE = 'if the token does not exist, is a batch token, never expires or cannot be renewed, or if its role was deleted.'
const BATCH = 'if the token is a batch token, which cannot be revoked.'

export const TOKENS = {
  createToken: { 400: `${MAKER}; ${GRANT}.`, 403: 'if the token of the caller expires or is revoked during the request.' },
  createOrphan: { 400: `${MAKER}; ${GRANT}.`, 403: 'if the token of the caller expires or is revoked during the request.' },
  createWithRole: {
    400: `if the role does not exist; ${MAKER}; ${GRANT}; if the role does not allow the \`entity_alias\`.`,
    403: 'if the token of the caller expires or is revoked during the request, or if the entity is disabled.',
  },
  lookupToken: {
    404: 'if the token is unknown, has expired, or was revoked. On views made by `as(token)` the status is 403 instead.',
    400: 'if no token is given and the caller has no token.',
  },
  lookupSelf: { 400: `${NO_CALLER}.` },
  lookupAccessor: { 400: NO_ACCESSOR },
  renewToken: { 400: RENEWABLE },
  renewSelf: { 400: `${NO_CALLER}; ${RENEWABLE}` },
  renewAccessor: { 400: `${NO_ACCESSOR.slice(0, -1)}; ${RENEWABLE}` },
  revokeToken: { 400: `if no token is given, or ${BATCH}` },
  revokeSelf: { 400: `${NO_CALLER}; ${BATCH}` },
  revokeAccessor: { 400: 'if no accessor is given. For an unknown accessor, the answer has a warning.' },
  revokeOrphan: { 400: `if the token does not exist, if the caller does not have \`sudo\`, or ${BATCH}` },
  listAccessors: {},
  tidyTokens: {},
  readRole: { 404: 'if the role does not exist.' },
  writeRole: {
    400: 'if `path_suffix` is malformed; if `token_num_uses` is negative; if a network is invalid; if the role creates batch tokens that are not orphans, or that have a period, a maximum lifetime or a number of uses.',
  },
  deleteRole: {},
  listRoles: {},
}
