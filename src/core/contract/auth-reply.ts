/** The result fields of operations that create or renew a token. */
import type { Result } from '../field/field.ts'
import { f } from '../field/fields.ts'
import type { WireReply } from './wire-reply.ts'

export const AUTH = {
  client_token: f.text('The token; empty if the request named the token by its accessor.'),
  accessor: f.text('Identifies the token for lookup, renewal and revocation, but grants no access. Empty for a batch token.'),
  policies: f.json<readonly string[]>('The sorted policies of the token and of its entity.', { type: 'array' }),
  token_policies: f.json<readonly string[]>('The policies of the token, without those of its entity.', { type: 'array' }),
  identity_policies: f
    .json<readonly string[]>("The policies of the token's entity, if it has any.", { type: 'array' })
    .optional(),
  metadata: f.json<Readonly<Record<string, string>> | null>('The metadata given when the token was created.'),
  lease_duration: f.int('Seconds until the token expires; 0 means never.'),
  renewable: f.bool('Whether the token can be renewed.'),
  entity_id: f.text("The id of the token's entity; empty if it has none."),
  token_type: f.json<'service' | 'batch'>(
    '`service`: a token with a stored record. `batch`: an encrypted token without a record.',
    { type: 'string' },
  ),
  orphan: f.bool('Whether the token has no parent. Other tokens are revoked with their parent.'),
  mfa_requirement: f.json<null>('Always null; present for clients that expect it.'),
  num_uses: f.int('The number of times that the token can be used; 0 means no limit.'),
}

export type Auth = Result<typeof AUTH>

export const authWire = (auth: Auth): WireReply => ({ auth })
