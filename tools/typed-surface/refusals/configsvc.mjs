// The documented refusals of the methods of the configuration service, by method and HTTP status.
import { ifAny } from './conditions.mjs'

const named = (thing) => ['`Name` is missing or malformed', `another ${thing} has the same \`Name\``]
const absent = (thing) => `the ${thing} does not exist`
const WITH_ID = '`ID` is given'

const RULES = ['`Rules` cannot be parsed', '`Datacenters` contains an invalid name']
const LINKS = [
  'a linked object does not exist',
  'a service identity, a node identity or a templated policy is incomplete or has an invalid name',
]

export const DECISIONS = {
  bootstrap: {
    400: 'if `BootstrapSecret` is not a UUID, is reserved, or is in use.',
    403: 'if the first management token already exists.',
  },
  authorizeMany: { 400: ifAny('a resource or an access is unknown', 'more than 64 decisions are requested') },
  authorize: { 400: 'if the permission is unknown.', 403: 'if `token` is invalid.' },
  explain: { 400: 'if the permission is unknown.', 403: 'if `token` is invalid.' },
}

export const POLICIES = {
  create: { 400: ifAny(...named('policy'), ...RULES, WITH_ID) },
  read: { 404: ifAny(absent('policy')) },
  readByName: { 404: ifAny(absent('policy')) },
  update: {
    400: ifAny(
      absent('policy'),
      ...named('policy'),
      ...RULES,
      'the update would change the `Rules` or the `Datacenters` of a built-in policy',
    ),
  },
  delete: { 400: 'if the policy is built in.' },
  list: {},
}

export const TOKENS = {
  create: {
    400: ifAny(
      ...LINKS,
      'the token would have expired already',
      'the token would expire in less than a minute or in more than a day',
      '`AccessorID` or `SecretID` is not a UUID, is reserved, or is in use',
    ),
  },
  readSelf: { 403: 'if the caller has no token. The application itself has no token.' },
  read: { 404: ifAny(absent('token')) },
  update: {
    400: ifAny(
      absent('token'),
      ...LINKS,
      'the update would change `SecretID`, `Local`, `AuthMethod` or the expiration of the token',
    ),
  },
  clone: { 400: 'if a login created the token.', 404: ifAny(absent('token')) },
  delete: { 400: ifAny('the token is the anonymous token', 'the token is the token of the caller') },
  list: {},
}

export const ROLES = {
  create: { 400: ifAny(...named('role'), ...LINKS, WITH_ID) },
  read: { 404: ifAny(absent('role')) },
  readByName: { 404: ifAny(absent('role')) },
  update: { 400: ifAny(absent('role'), ...named('role'), ...LINKS) },
  delete: {},
  list: {},
}

export const TEMPLATED_POLICIES = {
  list: {},
  readByName: { 400: ifAny(absent('template')) },
  preview: { 400: ifAny(absent('template'), 'a required variable is missing') },
}

const METHOD = [
  '`Name`, `Type`, `MaxTokenTTL` or `TokenLocality` is invalid',
  '`Config` lacks a required member or has an unknown member',
]

export const AUTH_METHODS = {
  create: { 400: ifAny(...METHOD) },
  read: { 404: ifAny(absent('auth method')) },
  update: { 400: ifAny(absent('auth method'), 'the update would change the `Type` of the auth method', ...METHOD) },
  delete: {},
  list: {},
}

const RULE = [
  absent('auth method'),
  '`BindType` is unknown',
  '`BindName` or `BindVars` results in an invalid name',
  '`Selector` cannot be parsed or uses unknown variables',
]

export const BINDING_RULES = {
  create: { 400: ifAny(...RULE) },
  read: { 404: ifAny(absent('binding rule')) },
  update: { 400: ifAny(absent('binding rule'), 'the update would change the `AuthMethod` of the rule', ...RULE) },
  delete: {},
  list: {},
  evaluate: {
    400: 'if `identity` is not an identity that a login of the auth method can have.',
    404: ifAny(absent('auth method')),
  },
}

const NO_KIND = 'the kind does not exist'
const NO_PERMISSION = 'if the caller lacks the permission for this entry. The response does not reveal whether the entry exists.'

export const ENTRIES = {
  apply: {
    400: `${ifAny(
      'an entry breaks a rule of its kind',
      'an entry would contradict another new or stored entry',
    )} The message names the entry and the member.`,
    403: ifAny(
      'the caller lacks the permission to write one of the entries',
      'an entry has the kind `bound-api-gateway` (only the service itself writes such entries)',
    ),
    413: ifAny('an entry is too large for the storage', 'there are too many entries for one commit'),
  },
  get: { 400: ifAny(NO_KIND), 403: NO_PERMISSION, 404: ifAny(absent('entry')) },
  list: {
    400: ifAny(NO_KIND, 'the filter cannot be parsed', 'the filter uses a member that entries of the kind do not have'),
  },
  delete: { 400: ifAny(NO_KIND, 'other entries refer to the entry'), 403: NO_PERMISSION },
}

export const LOGINS = {
  login: {
    400: ifAny('`AuthMethod` or `BearerToken` is missing', '`Meta` is too large or has a value that is not a string'),
    403: ifAny('`BearerToken` is invalid for any reason', 'no binding rule of the auth method matches'),
    429: 'if too many recent bearer tokens had a wrong signature.',
  },
  logout: {
    401: 'if the caller has no token. The application itself has no token.',
    403: "if the caller's token was not created by a login.",
  },
}
