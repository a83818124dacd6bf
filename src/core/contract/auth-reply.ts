/**
 * The reply that makes or renews a token, for both views.
 */
import type { Result } from '../field/field.ts'
import { f } from '../field/fields.ts'
import type { WireReply } from './wire-reply.ts'

export const AUTH = {
  client_token: f.text('The token; empty where it was asked for by its accessor.'),
  accessor: f.text('Stands for the token where it is looked up, renewed or revoked, but opens nothing. Empty for a batch token.'),
  policies: f.json<readonly string[]>("All policies of the token, its own and its entity's, sorted.", { type: 'array' }),
  token_policies: f.json<readonly string[]>('Its own.', { type: 'array' }),
  identity_policies: f.json<readonly string[]>("Its entity's, where there are some.", { type: 'array' }).optional(),
  metadata: f.json<Readonly<Record<string, string>> | null>('As given when it was made.'),
  lease_duration: f.int('Seconds from now until it ends; 0 never.'),
  renewable: f.bool('Whether it can be renewed.'),
  entity_id: f.text('Its entity, or empty.'),
  token_type: f.json<'service' | 'batch'>('Stored, or sealed and carried by whoever has it.', { type: 'string' }),
  orphan: f.bool('Whether it has no parent to die with.'),
  mfa_requirement: f.json<null>('Nothing: kept for clients that look at it.'),
  num_uses: f.int('How often it can be used; 0 is without limit.'),
}

export type Auth = Result<typeof AUTH>

export const authWire = (auth: Auth): WireReply => ({ auth })
