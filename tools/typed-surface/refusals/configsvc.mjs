// When the methods of the configuration service refuse, by status, beside what every method does. Read off the operations.

const named = (thing) => `when \`Name\` is missing, malformed or the name of another ${thing}`
const absent = (thing) => `when there is no such ${thing}.`
const WITH_ID = 'and when an `ID` is given.'

const RULES = 'when `Rules` cannot be read, and when `Datacenters` holds what is no name of one'
const GRANTS =
  'when a link leads to nothing, and when an identity or a templated policy lacks what it needs or breaks the rule of names'
const ENDS = 'when the token would end before now, in less than a minute or in more than a day'

export const DECISIONS = {
  bootstrap: {
    400: 'when `BootstrapSecret` is no UUID, is reserved or in use.',
    403: 'when there was a first management token already.',
  },
  authorizeMany: { 400: 'for a resource or an access that there is none of, and for more than 64 at once.' },
  authorize: { 400: 'for a permission that there is none of.', 403: 'when `token` is not good.' },
  explain: { 400: 'for a permission that there is none of.', 403: 'when `token` is not good.' },
}

export const POLICIES = {
  create: { 400: `${named('policy')}, ${RULES}, ${WITH_ID}` },
  read: { 404: absent('policy') },
  readByName: { 404: absent('policy') },
  update: {
    400: `when there is no such policy, ${named('policy')}, ${RULES}, and when rules or datacenters of a built-in policy would change.`,
  },
  delete: { 400: 'when it is a built-in policy.' },
  list: {},
}

export const TOKENS = {
  create: {
    400: `${GRANTS}, ${ENDS}, and when \`AccessorID\` or \`SecretID\` is no UUID, is reserved or in use.`,
  },
  readSelf: { 403: 'where there is no token: the application has none.' },
  read: { 404: absent('token') },
  update: {
    400: `when there is no such token, ${GRANTS}, and when what cannot change would: the secret, \`Local\`, \`AuthMethod\`, the end.`,
  },
  clone: { 400: 'when a login has made the token.', 404: absent('token') },
  delete: { 400: 'when it is the anonymous token, or the one that asks.' },
  list: {},
}

export const ROLES = {
  create: { 400: `${named('role')}, ${GRANTS}, ${WITH_ID}` },
  read: { 404: absent('role') },
  readByName: { 404: absent('role') },
  update: { 400: `when there is no such role, ${named('role')}, and ${GRANTS}.` },
  delete: {},
  list: {},
}

export const TEMPLATED_POLICIES = {
  list: {},
  readByName: { 400: absent('template') },
  preview: { 400: 'when there is no such template, and when it lacks the variable that it needs.' },
}

const METHOD =
  'when `Name`, `Type`, `MaxTokenTTL` or `TokenLocality` breaks its rule, and when `Config` lacks what the type needs or holds something else'

export const AUTH_METHODS = {
  create: { 400: `${METHOD}.` },
  read: { 404: absent('auth method') },
  update: { 400: `when there is no such auth method, when the type would change, ${METHOD}.` },
  delete: {},
  list: {},
}

const RULE = [
  'when there is no such auth method, when `BindType` is none, when `BindName` or `BindVars` computes no valid name, and when `Selector` cannot be',
  'read or asks for what the method does not know',
].join(' ')

export const BINDING_RULES = {
  create: { 400: `${RULE}.` },
  read: { 404: absent('binding rule') },
  update: { 400: `when there is no such rule, when the auth method would change, ${RULE}.` },
  delete: {},
  list: {},
  evaluate: { 400: 'for an identity that the method never gives.', 404: absent('auth method') },
}

const BREAKS = 'when an entry breaks a rule of its kind, and when the entries would contradict each other'
const MANY = 'when an entry is too large for the storage, and when there are more than one commit holds.'

export const ENTRIES = {
  apply: {
    400: `${BREAKS}, also with what the change leaves as it was; the text names the entry and the member.`,
    403: 'when the caller lacks what the kinds need, and for `bound-api-gateway`.',
    413: MANY,
  },
  get: { 400: 'when there is no such kind.', 403: 'whether there is such an entry or not.', 404: 'when there is no such entry.' },
  list: { 400: 'when there is no such kind, and when the filter cannot be read or asks for what the kind lacks.' },
  delete: {
    400: 'when there is no such kind, and when others need the entry.',
    403: 'whether there is such an entry or not.',
  },
}

export const LOGINS = {
  login: {
    400: 'when `AuthMethod` or `BearerToken` is missing, and when `Meta` holds something else than texts, or too much.',
    403: 'whatever was wrong with the token, and when no binding rule gives it anything.',
    429: 'when too many signatures were wrong lately.',
  },
  logout: { 401: 'where there is no token: the application has none.', 403: 'when no login has made the token.' },
}
