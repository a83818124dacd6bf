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

const MAKER = 'if the caller is a batch token or one with a number of uses'
const GRANT =
  'if the caller does not have a policy or the role does not allow it, if the application names no policies, if something needs `sudo` (`period`, `no_parent`, `id`, another namespace), if a duration is malformed, and if a batch token is to have what only service tokens have'
const NO_ACCESSOR = 'if the accessor is unknown.'
const NO_CALLER = 'if the caller has no token: call this on a view made by `as(token)`'
const RENEWABLE = 'if the token does not exist, is a batch token, has no end or cannot be renewed, and if its role was deleted.'
const BATCH = 'for a batch token, which cannot be revoked.'

export const TOKENS = {
  createToken: { 400: `${MAKER}, ${GRANT}.`, 403: 'if the token of the caller ended concurrently.' },
  createOrphan: { 400: `${MAKER}, ${GRANT}.`, 403: 'if the token of the caller ended concurrently.' },
  createWithRole: {
    400: `if the role does not exist, ${MAKER}, ${GRANT}, and if the role does not allow the \`entity_alias\`.`,
    403: 'if the token of the caller ended concurrently, and if the entity is disabled.',
  },
  lookupToken: {
    404: 'if the token is unknown or has ended. Views made by `as(token)` get 403 instead.',
    400: 'if no token is given and the caller has none.',
  },
  lookupSelf: { 400: `${NO_CALLER}.` },
  lookupAccessor: { 400: NO_ACCESSOR },
  renewToken: { 400: RENEWABLE },
  renewSelf: { 400: `${NO_CALLER}; ${RENEWABLE}` },
  renewAccessor: { 400: `${NO_ACCESSOR.slice(0, -1)}; ${RENEWABLE}` },
  revokeToken: { 400: `if no token is named, and ${BATCH}` },
  revokeSelf: { 400: `${NO_CALLER}, and ${BATCH}` },
  revokeAccessor: { 400: 'if no accessor is named. An unknown accessor is a warning.' },
  revokeOrphan: { 400: `if the token does not exist, without \`sudo\`, and ${BATCH}` },
  listAccessors: {},
  tidyTokens: {},
  readRole: { 404: 'if the role does not exist.' },
  writeRole: {
    400: 'if `path_suffix` is malformed, if `token_num_uses` is negative, for an invalid network, and for batch tokens that are not orphans, or that have a period, a maximum lifetime or a number of uses.',
  },
  deleteRole: {},
  listRoles: {},
}
