import { rfc3339 } from '../../../core/base/clock.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { GRANT_FIELDS, GRANTS_SHOWN, ROLE_LINK_FIELD, ROLE_LINKS_SHOWN } from '../grants/fields.ts'
import { showGrants, unlessEmpty } from '../grants/grants.ts'
import { ROLE_LINKS, showLinks } from '../grants/links.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AclTokenRecord } from '../records.ts'

/** Shown in place of the SecretID in responses that do not reveal it. */
export const HIDDEN_SECRET = '<hidden>'

export const TOKEN_BODY = {
  SecretID: f.strictText('The secret, a UUID. Default: random.').default(''),
  Description: f.strictText('A human-readable description.').default(''),
  ...GRANT_FIELDS,
  Roles: ROLE_LINK_FIELD,
  Local: f.strictBool('Whether the token is valid in this datacenter only.').optional(),
  AuthMethod: f.strictText('Must be empty: only a login creates a token with an auth method.').default(''),
  ExpirationTTL: f
    .goDuration(
      'The lifetime as a string, such as 90s or 1h30m, or in nanoseconds: 1 minute to 24 hours. Default: the token does not expire.',
    )
    .optional(),
  ExpirationTime: f.strictText('The time of expiration in RFC 3339, instead of ExpirationTTL.').optional(),
  Rules: f.strictText('Must be empty: link the token to policies instead.').default(''),
  ...SCOPE_FIELDS,
}

/** Members of responses. Requests may contain them, because clients send back what they have read. */
export const TOKEN_ECHOED_MEMBERS = [...ECHOED_MEMBERS, 'Hash', 'CreateTime', 'AuthMethodNamespace']

export const TOKEN_MEMBERS = {
  AccessorID: f.text('A UUID that identifies the token and is not secret.'),
  SecretID: f.text(`The secret, in responses about the caller's own token or a new token; otherwise ${HIDDEN_SECRET}.`),
  Description: f.text('A human-readable description.'),
  ...GRANTS_SHOWN,
  Roles: ROLE_LINKS_SHOWN,
  Local: f.bool('Whether the token is valid in this datacenter only.'),
  AuthMethod: f.text('The auth method whose login created the token; absent for other tokens.').optional(),
  ExpirationTime: f.text('The time of expiration in RFC 3339; absent if the token does not expire.').optional(),
  CreateTime: f.text('RFC 3339.'),
  Hash: f.text('The hash of the settings of the token, in base64.'),
  ...RECORD_META_FIELDS,
}

export const TOKEN_SHOWN = f.record(TOKEN_MEMBERS, 'A token.', { name: 'Token' })

export const TOKENS_SHOWN = f.records(TOKEN_MEMBERS, 'Tokens, sorted by AccessorID.', { name: 'Token' })

/** A token in the form of responses. @param SecretID Pass the secret only if the caller has sent it or has just created the token. */
export function shownToken(tx: ConfigTx, token: AclTokenRecord, SecretID: string = HIDDEN_SECRET) {
  const { AccessorID, Description, Roles, Local, AuthMethod, ExpirationTime, CreateTime, Hash } = token
  return {
    AccessorID,
    SecretID,
    Description,
    ...showGrants(tx, token.Namespace, token),
    ...unlessEmpty('Roles', showLinks(tx, ROLE_LINKS, token.Namespace, Roles)),
    Local,
    ...(AuthMethod && { AuthMethod: AuthMethod.Name }),
    ...(ExpirationTime === undefined ? {} : { ExpirationTime: rfc3339(ExpirationTime) }),
    CreateTime: rfc3339(CreateTime),
    Hash,
    CreateIndex: token.CreateIndex,
    ModifyIndex: token.ModifyIndex,
    ...shownScope(token),
  }
}
