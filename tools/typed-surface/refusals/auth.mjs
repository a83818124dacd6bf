// The documented refusals of the methods of tokens and of the orchestrator auth method, by method and HTTP status.
import { ifAny } from './conditions.mjs'

export const ORCHESTRATOR = {
  configure: {
    400: ifAny(
      '`orchestrator_host` is missing',
      'a certificate or a key cannot be parsed',
      '`pem_keys` has more than 32 keys',
      'the method does not use the local certificates of the host and neither `orchestrator_ca_cert` nor `pem_keys` is given',
    ),
  },
  readConfig: { 404: 'if the method is not configured.' },
  writeRole: {
    400: ifAny(
      'a new role has no service account names or no namespaces',
      '`*` is combined with other patterns',
      'a network is invalid',
      '`token_ttl` is above `token_max_ttl`',
      'the role issues batch tokens and has a period or a number of uses',
    ),
  },
  readRole: { 404: 'if the role does not exist.' },
  listRoles: {},
  deleteRole: {},
  login: {
    400: ifAny('`role` or `jwt` is missing', 'the role does not exist', 'the auth method is not configured'),
    403: 'if the login is refused for any other reason. The message is always the same; the reason is in the audit log and in the event `login.refused`.',
    429: 'if too many recent tokens had a wrong signature. Try again after a second.',
  },
}

const ENDED = "the caller's token expires or is revoked during the request"

const CREATING = [
  "the caller's token is a batch token or has a limited number of uses",
  '`period`, `no_parent` or `id` is given by a caller without `sudo`',
  "a caller without `sudo` creates a token in another namespace than that of the caller's token",
  '`id` is malformed or already in use',
  'a duration is malformed',
  '`id`, `period`, `num_uses` or `explicit_max_ttl` is given for a batch token',
]
const WITHOUT_ROLE = [
  ...CREATING,
  "a caller without `sudo` names a policy that the caller's token does not have",
  'the application names no policies',
  '`entity_alias` is given (it needs a token role)',
]
const NO_CALLER = 'the caller has no token'
const ON_VIEW = 'Call this method on a view made by `as(token)`.'
const NO_ACCESSOR = ['`accessor` is missing', 'no token has this accessor']
const NOT_RENEWABLE = [
  'the token is a batch token',
  'the token never expires',
  'the token was created as not renewable',
  'the token role or the login role with which the token was created was deleted',
]
const BATCH = 'the token is a batch token'

export const TOKENS = {
  createToken: {
    400: ifAny(...WITHOUT_ROLE),
    403: ifAny(ENDED),
  },
  createOrphan: {
    400: ifAny(...WITHOUT_ROLE),
    403: ifAny(ENDED),
  },
  createWithRole: {
    400: ifAny(
      'the role does not exist',
      ...CREATING,
      '`policies` names a policy that the role does not allow',
      "the role allows no particular policies and a caller without `sudo` names a policy that the caller's token does not have",
      'the application names no policies and the role has no `allowed_policies`',
      'the role does not allow the `entity_alias`',
    ),
    403: ifAny(ENDED, 'the entity of the `entity_alias` is disabled'),
  },
  lookupToken: {
    404: 'if the token is unknown, has expired, or was revoked. On views made by `as(token)` the status is 403 instead.',
    400: 'if no token is given and the caller has no token.',
  },
  lookupSelf: { 400: `${ifAny(NO_CALLER)} ${ON_VIEW}` },
  lookupAccessor: { 400: ifAny(...NO_ACCESSOR) },
  renewToken: { 400: ifAny('`token` is missing', 'the token does not exist', ...NOT_RENEWABLE) },
  renewSelf: { 400: `${ifAny(NO_CALLER, ...NOT_RENEWABLE)} ${ON_VIEW}` },
  renewAccessor: { 400: ifAny(...NO_ACCESSOR, ...NOT_RENEWABLE) },
  revokeToken: { 400: ifAny('no token is given', BATCH) },
  revokeSelf: { 400: `${ifAny(NO_CALLER, BATCH)} ${ON_VIEW}` },
  revokeAccessor: {
    400: 'if `accessor` is missing. If the accessor is unknown, the call succeeds and the response contains a warning.',
  },
  revokeOrphan: { 400: ifAny('the token does not exist', 'the caller does not have `sudo`', BATCH) },
  listAccessors: {},
  tidyTokens: {},
  readRole: { 404: 'if the role does not exist.' },
  writeRole: {
    400: ifAny(
      '`path_suffix` is malformed',
      '`token_num_uses` is negative',
      'a network is invalid',
      '`token_type` is `batch` and the role creates tokens that are not orphans or are renewable',
      '`token_type` is `batch` and the role has a period, a maximum lifetime or a number of uses',
    ),
  },
  deleteRole: {},
  listRoles: {},
}
