// When methods of tokens and of the orchestrator auth method refuse, by status, in addition to the errors of every method. Derived from the
// operations.

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

const MAKER = "if the caller's token is a batch token or has a limited number of uses"
const GRANT =
  'if the application names no policies, if the caller does not have `sudo` and the request sets `period`, `no_parent` or `id` or is for a child namespace, if a duration is malformed, or if the request is for a batch token and sets a parameter that only service tokens can have'
const CREATE = `${MAKER}, if the caller does not have one of the policies, ${GRANT}.`
const ENDED = "if the caller's token expires or is revoked during the request"
const NO_ACCESSOR = 'if the accessor is unknown.'
const NO_CALLER = 'if the caller has no token (call this method on a view made by `as(token)`)'
const RENEWABLE =
  'if the token does not exist, is a batch token, never expires or is not renewable, or if the token role with which it was created was deleted.'
const BATCH = 'if the token is a batch token, which cannot be revoked.'

export const TOKENS = {
  createToken: { 400: CREATE, 403: `${ENDED}.` },
  createOrphan: { 400: CREATE, 403: `${ENDED}.` },
  createWithRole: {
    400: `if the role does not exist or does not allow the \`entity_alias\`, if a requested policy is neither allowed by the role nor a policy of the caller, ${MAKER}, ${GRANT}.`,
    403: `${ENDED}, or if the entity is disabled.`,
  },
  lookupToken: {
    404: 'if the token is unknown, has expired, or was revoked. For callers with a token (views made by `as(token)`), this is a 403.',
    400: 'if no token is given and the caller has no token.',
  },
  lookupSelf: { 400: `${NO_CALLER}.` },
  lookupAccessor: { 400: NO_ACCESSOR },
  renewToken: { 400: RENEWABLE },
  renewSelf: { 400: `${NO_CALLER}, ${RENEWABLE}` },
  renewAccessor: { 400: `${NO_ACCESSOR.slice(0, -1)}, ${RENEWABLE}` },
  revokeToken: { 400: `if no token is given, or ${BATCH}` },
  revokeSelf: { 400: `${NO_CALLER}, or ${BATCH}` },
  revokeAccessor: { 400: 'if no accessor is given. If the accessor is unknown, the call succeeds and the answer has a warning.' },
  revokeOrphan: { 400: `if the token does not exist, if the caller does not have \`sudo\`, or ${BATCH}` },
  listAccessors: {},
  tidyTokens: {},
  readRole: { 404: 'if the role does not exist.' },
  writeRole: {
    400: 'if `path_suffix` is malformed, if `token_num_uses` is negative, if a network is invalid, or if `token_type` is `batch` and the role creates tokens that are not orphans, that are renewable, or that have a period, a maximum lifetime or a number of uses.',
  },
  deleteRole: {},
  listRoles: {},
}
