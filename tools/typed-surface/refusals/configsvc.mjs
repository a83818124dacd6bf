// When methods of the configuration service refuse, by status, in addition to the errors of every method. Derived from the operations.

const named = (thing) => `if \`Name\` is missing, malformed or the name of another ${thing}`
const absent = (thing) => `if the ${thing} does not exist.`
const WITH_ID = 'and if an `ID` is given.'

const RULES = 'if `Rules` cannot be read, and if `Datacenters` contains an invalid name'
const GRANTS = 'if a linked object does not exist, and if an identity or a templated policy is incomplete or has an invalid name'
const ENDS = 'if the token would end before now, in less than a minute or in more than a day'

export const DECISIONS = {
  bootstrap: {
    400: 'if `BootstrapSecret` is not a UUID, is reserved or in use.',
    403: 'if the first management token already exists.',
  },
  authorizeMany: { 400: 'for an unknown resource or access, and for more than 64 decisions.' },
  authorize: { 400: 'for an unknown permission.', 403: 'if `token` is invalid.' },
  explain: { 400: 'for an unknown permission.', 403: 'if `token` is invalid.' },
}

export const POLICIES = {
  create: { 400: `${named('policy')}, ${RULES}, ${WITH_ID}` },
  read: { 404: absent('policy') },
  readByName: { 404: absent('policy') },
  update: {
    400: `if the policy does not exist, ${named('policy')}, ${RULES}, and if rules or datacenters of a built-in policy would change.`,
  },
  delete: { 400: 'if it is a built-in policy.' },
  list: {},
}

export const TOKENS = {
  create: {
    400: `${GRANTS}, ${ENDS}, and if \`AccessorID\` or \`SecretID\` is not a UUID, is reserved or in use.`,
  },
  readSelf: { 403: 'without a token, which the application does not have.' },
  read: { 404: absent('token') },
  update: {
    400: `if the token does not exist, ${GRANTS}, and if \`SecretID\`, \`Local\`, \`AuthMethod\` or the expiration would change.`,
  },
  clone: { 400: 'if a login created the token.', 404: absent('token') },
  delete: { 400: 'for the anonymous token and for the calling token.' },
  list: {},
}

export const ROLES = {
  create: { 400: `${named('role')}, ${GRANTS}, ${WITH_ID}` },
  read: { 404: absent('role') },
  readByName: { 404: absent('role') },
  update: { 400: `if the role does not exist, ${named('role')}, and ${GRANTS}.` },
  delete: {},
  list: {},
}

export const TEMPLATED_POLICIES = {
  list: {},
  readByName: { 400: absent('template') },
  preview: { 400: 'if the template does not exist, and if a required variable is missing.' },
}

const METHOD =
  'if `Name`, `Type`, `MaxTokenTTL` or `TokenLocality` is invalid, and if `Config` lacks a required member or has an unknown one'

export const AUTH_METHODS = {
  create: { 400: `${METHOD}.` },
  read: { 404: absent('auth method') },
  update: { 400: `if the auth method does not exist, if the type would change, ${METHOD}.` },
  delete: {},
  list: {},
}

const RULE = [
  'if the auth method does not exist, for an unknown `BindType`, if `BindName` or `BindVars` results in an invalid name, and if `Selector` cannot be',
  'parsed or refers to unknown variables',
].join(' ')

export const BINDING_RULES = {
  create: { 400: `${RULE}.` },
  read: { 404: absent('binding rule') },
  update: { 400: `if the rule does not exist, if the auth method would change, ${RULE}.` },
  delete: {},
  list: {},
  evaluate: { 400: 'for an identity that the method cannot return.', 404: absent('auth method') },
}

const BREAKS = 'if an entry breaks a rule of its kind, and if the entries would contradict each other'
const MANY = 'if an entry is too large for the storage, and if there are too many entries for one commit.'

export const ENTRIES = {
  apply: {
    400: `${BREAKS}, also with unchanged entries; the message names the entry and the member.`,
    403: 'if the caller lacks a permission for the kinds, and for `bound-api-gateway`.',
    413: MANY,
  },
  get: { 400: 'if the kind does not exist.', 403: 'whether the entry exists or not.', 404: 'if the entry does not exist.' },
  list: { 400: 'if the kind does not exist, and if the filter cannot be parsed or refers to a member that the kind lacks.' },
  delete: {
    400: 'if the kind does not exist, and if other entries refer to it.',
    403: 'whether the entry exists or not.',
  },
}

export const LOGINS = {
  login: {
    400: 'if `AuthMethod` or `BearerToken` is missing, and if `Meta` has values that are not strings, or is too large.',
    403: 'for an invalid token, whatever the reason, and if no binding rule matches.',
    429: 'if too many recent signatures were wrong.',
  },
  logout: { 401: 'without a token, which the application does not have.', 403: 'if the token was not created by a login.' },
}
