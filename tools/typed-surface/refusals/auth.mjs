// When the methods of tokens and of the orchestrator auth method refuse, by status, beside what every method does. Read off the operations.

export const ORCHESTRATOR = {
  configure: {
    400: 'when there is no host, when a certificate or key cannot be read, when there are more than 32 keys, and when neither `orchestrator_ca_cert` nor `pem_keys` is given outside of an orchestrator.',
  },
  readConfig: { 404: 'when the method was not configured yet.' },
  writeRole: {
    400: 'when a new role binds no service accounts or no namespaces, when `*` stands beside other patterns, when a network is none, when `token_ttl` is above `token_max_ttl`, and when batch tokens are to have a period or uses.',
  },
  readRole: { 404: 'when there is no such role.' },
  listRoles: {},
  deleteRole: {},
  login: {
    400: 'when there is no such role, and when the method was not configured yet.',
    403: 'for every login that is refused, alike: the reason is in the audit log and in the event `login.refused`.',
    429: 'when too many tokens with a wrong signature came lately: try again in a second.',
  },
}

const MAKER = 'when the caller is a batch token or one with a number of uses'
const GRANT =
  'when policies are named that the caller has not or the role does not allow, when none are named and no token makes this one, when something needs `sudo` (`period`, `no_parent`, `id`, another namespace), when a duration is malformed, and when a batch token is to have what only service tokens have'
const NO_ACCESSOR = 'when there is no token with this accessor.'
const NO_CALLER = 'when no token asks: this is for views made by `as(token)`'
const RENEWABLE = 'when the token is not there, is a batch token, has no end or cannot be renewed, and when its role is gone.'
const BATCH = 'for a batch token, which ends by itself.'

export const TOKENS = {
  createToken: { 400: `${MAKER}, ${GRANT}.`, 403: 'when the caller ended meanwhile.' },
  createOrphan: { 400: `${MAKER}, ${GRANT}.`, 403: 'when the caller ended meanwhile.' },
  createWithRole: {
    400: `when there is no such role, ${MAKER}, ${GRANT}, and when \`entity_alias\` is none that the role allows.`,
    403: 'when the caller ended meanwhile, and when the entity is disabled.',
  },
  lookupToken: {
    404: 'when the token is unknown or has ended. Views made by `as(token)` get 403 instead.',
    400: 'when no token is named and none asks.',
  },
  lookupSelf: { 400: `${NO_CALLER}.` },
  lookupAccessor: { 400: NO_ACCESSOR },
  renewToken: { 400: RENEWABLE },
  renewSelf: { 400: `${NO_CALLER}; ${RENEWABLE}` },
  renewAccessor: { 400: `${NO_ACCESSOR.slice(0, -1)}; ${RENEWABLE}` },
  revokeToken: { 400: `when no token is named, and ${BATCH}` },
  revokeSelf: { 400: `${NO_CALLER}, and ${BATCH}` },
  revokeAccessor: { 400: 'when no accessor is named. One that no token has is a warning.' },
  revokeOrphan: { 400: `when there is no such token, without \`sudo\`, and ${BATCH}` },
  listAccessors: {},
  tidyTokens: {},
  readRole: { 404: 'when there is no such role.' },
  writeRole: {
    400: 'when `path_suffix` is malformed, when `token_num_uses` is negative, when a network is none, and when tokens are to be batch tokens and orphans are not, or are to have a period, a bound or uses.',
  },
  deleteRole: {},
  listRoles: {},
}
