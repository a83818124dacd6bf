// When methods of the configuration service refuse, by status, in addition to the errors of every method. Derived from the operations.

const named = (thing) => `if \`Name\` is missing, malformed or the name of another ${thing}`
const absent = (thing) => `if the ${thing} does not exist.`
const WITH_ID = 'or if an `ID` is given.'

const RULES = 'if `Rules` cannot be parsed, if `Datacenters` contains an invalid name'
const GRANTS = 'if a linked object does not exist, if an identity or a templated policy is incomplete or has an invalid name'
const ENDS = 'if the token would expire in the past, in less than a minute, or in more than a day'

export const DECISIONS = {
  bootstrap: {
    400: 'if `BootstrapSecret` is not a UUID, is reserved, or is in use.',
    403: 'if the first management token already exists.',
  },
  authorizeMany: { 400: 'if a resource or access is unknown, or if more than 64 decisions are requested.' },
  authorize: { 400: 'if the permission is unknown.', 403: 'if `token` is invalid.' },
  explain: { 400: 'if the permission is unknown.', 403: 'if `token` is invalid.' },
}

export const POLICIES = {
  create: { 400: `${named('policy')}, ${RULES}, ${WITH_ID}` },
  read: { 404: absent('policy') },
  readByName: { 404: absent('policy') },
  update: {
    400: `if the policy does not exist, ${named('policy')}, ${RULES}, or if rules or datacenters of a built-in policy would change.`,
  },
  delete: { 400: 'if the policy is built in.' },
  list: {},
}

export const TOKENS = {
  create: {
    400: `${GRANTS}; ${ENDS}; if \`AccessorID\` or \`SecretID\` is not a UUID, is reserved, or is in use.`,
  },
  readSelf: { 403: 'if the caller has no token. The application itself has no token.' },
  read: { 404: absent('token') },
  update: {
    400: `if the token does not exist, ${GRANTS}, or if \`SecretID\`, \`Local\`, \`AuthMethod\` or the expiration would change.`,
  },
  clone: { 400: 'if a login created the token.', 404: absent('token') },
  delete: { 400: 'if the token is the anonymous token or the token of the caller.' },
  list: {},
}

export const ROLES = {
  create: { 400: `${named('role')}, ${GRANTS}, ${WITH_ID}` },
  read: { 404: absent('role') },
  readByName: { 404: absent('role') },
  update: { 400: `if the role does not exist, ${named('role')}, or ${GRANTS}.` },
  delete: {},
  list: {},
}

export const TEMPLATED_POLICIES = {
  list: {},
  readByName: { 400: absent('template') },
  preview: { 400: 'if the template does not exist, or if a required variable is missing.' },
}

const METHOD =
  'if `Name`, `Type`, `MaxTokenTTL` or `TokenLocality` is invalid, or if `Config` lacks a required member or has an unknown member'

export const AUTH_METHODS = {
  create: { 400: `${METHOD}.` },
  read: { 404: absent('auth method') },
  update: { 400: `if the auth method does not exist, if the type would change, ${METHOD}.` },
  delete: {},
  list: {},
}

const RULE = [
  'if the auth method does not exist, if `BindType` is unknown, if `BindName` or `BindVars` results in an invalid name, or if `Selector` cannot be',
  'parsed or refers to unknown variables',
].join(' ')

export const BINDING_RULES = {
  create: { 400: `${RULE}.` },
  read: { 404: absent('binding rule') },
  update: { 400: `if the rule does not exist, if the auth method would change, ${RULE}.` },
  delete: {},
  list: {},
  evaluate: { 400: 'if the auth method cannot return such an identity.', 404: absent('auth method') },
}

const BREAKS = 'if an entry breaks a rule of its kind, or if entries would contradict each other'
const MANY = 'if an entry is too large for the storage, or if there are too many entries for one commit.'

export const ENTRIES = {
  apply: {
    400: `${BREAKS}, including unchanged entries. The message names the entry and the member.`,
    403: 'if the caller lacks a permission for one of the kinds, or if a kind is `bound-api-gateway`.',
    413: MANY,
  },
  get: {
    400: 'if the kind does not exist.',
    403: 'if the caller lacks the permission, whether or not the entry exists.',
    404: 'if the entry does not exist.',
  },
  list: {
    400: 'if the kind does not exist, or if the filter cannot be parsed or refers to a member that the kind does not have.',
  },
  delete: {
    400: 'if the kind does not exist, or if other entries refer to the entry.',
    403: 'if the caller lacks the permission, whether or not the entry exists.',
  },
}

export const LOGINS = {
  login: {
    400: 'if `AuthMethod` or `BearerToken` is missing, or if `Meta` is too large or has a value that is not a string.',
    403: 'if the token is invalid for any reason, or if no binding rule matches.',
    429: 'if too many recent signatures were wrong.',
  },
  logout: {
    401: 'if the caller has no token. The application itself has no token.',
    403: 'if the token was not created by a login.',
  },
}
