/**
 * Tokens, as they are written and shown.
 */
import { rfc3339 } from '../../../core/base/clock.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { GRANT_FIELDS, GRANTS_SHOWN, ROLE_LINK_FIELD, ROLE_LINKS_SHOWN } from '../grants/fields.ts'
import { showGrants, unlessEmpty } from '../grants/grants.ts'
import { ROLE_LINKS, showLinks } from '../grants/links.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AclTokenRecord } from '../records.ts'

/** Stands in answers where the SecretID is not shown. */
export const HIDDEN_SECRET = '<hidden>'

export const TOKEN_BODY = {
  SecretID: f.strictText('The secret, a UUID. Default: a random one.').default(''),
  Description: f.strictText('For people.').default(''),
  ...GRANT_FIELDS,
  Roles: ROLE_LINK_FIELD,
  Local: f.strictBool('Whether it is of this datacenter only.').optional(),
  AuthMethod: f.strictText('Only logins make tokens with an auth method.').default(''),
  ExpirationTTL: f
    .goDuration('Its life: a text such as 90s or 1h30m, or nanoseconds; between 1 minute and 24 hours. Default: it does not end.')
    .optional(),
  ExpirationTime: f.strictText('Its end, RFC 3339, instead of ExpirationTTL.').optional(),
  Rules: f.strictText('Rules are those of policies: nothing may stand here.').default(''),
  ...SCOPE_FIELDS,
}

/** Clients send back what they have read. */
export const TOKEN_ECHOED_MEMBERS = [...ECHOED_MEMBERS, 'Hash', 'CreateTime', 'AuthMethodNamespace']

export const TOKEN_MEMBERS = {
  AccessorID: f.text('UUID: names the token, and is no secret.'),
  SecretID: f.text(
    `The secret, where the answer is about a token that was just made or the caller's own; else ${HIDDEN_SECRET}.`,
  ),
  Description: f.text('For people.'),
  ...GRANTS_SHOWN,
  Roles: ROLE_LINKS_SHOWN,
  Local: f.bool('Whether it is of this datacenter only.'),
  AuthMethod: f.text('The auth method of the login that made it; absent for others.').optional(),
  ExpirationTime: f.text('RFC 3339; absent: it does not end.').optional(),
  CreateTime: f.text('RFC 3339.'),
  Hash: f.text('Base64 of the hash of its content.'),
  ...RECORD_META_FIELDS,
}

export const TOKEN_SHOWN = f.record(TOKEN_MEMBERS, 'A token.', { name: 'Token' })

export const TOKENS_SHOWN = f.records(TOKEN_MEMBERS, 'Tokens, in order of their AccessorIDs.', { name: 'Token' })

/** A token as answers show it. @param SecretID Its own, only where the caller knows it or is the first to learn it. */
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
