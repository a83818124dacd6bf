import { isOrphan } from '../../core/access/token/ancestry.ts'
import { identityPoliciesOf } from '../../core/access/token/auth-reply.ts'
import { rfc3339 } from '../../core/base/clock.ts'
import type { TokenRecord } from '../../core/contract/token-record.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Result } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'

export const TOKEN_INFO = {
  id: f.text('The token itself; empty if it was looked up by its accessor.'),
  accessor: f.text('The accessor; empty for a batch token.'),
  policies: f.json<readonly string[]>('The sorted policies of the token, without those of its entity.', { type: 'array' }),
  path: f.text('The path of the request that created the token.'),
  meta: f.json<Readonly<Record<string, string>> | null>(
    'The metadata that the request to create the token contained; null if it contained none.',
  ),
  display_name: f.text('A human-readable name.'),
  num_uses: f.int('The number of uses that remain after this request; 0 if the number of uses is unlimited or no use remains.'),
  orphan: f.bool('Whether the token has no parent token.'),
  creation_time: f.int('When the token was created, in seconds since 1970.'),
  creation_ttl: f.int('The lifetime granted at creation, in seconds; 0 if the token does not expire.'),
  expire_time: f.json<string | null>('When the token expires, in RFC 3339; null if it does not expire.', {
    type: 'string',
    format: 'date-time',
  }),
  ttl: f.int('The remaining lifetime in seconds; 0 if the token does not expire.'),
  explicit_max_ttl: f.int('The maximum lifetime including renewals, in seconds; 0 means no maximum.'),
  entity_id: f.text("The id of the token's entity, or empty."),
  type: f.json<'service' | 'batch'>('`service`: a token with a stored record. `batch`: an encrypted token without a record.', {
    type: 'string',
  }),
  renewable: f.bool('Whether the token can be renewed.'),
  issue_time: f.text('When the token was created, in RFC 3339.'),
  last_renewal: f.text('When the token was last renewed, in RFC 3339.').optional(),
  last_renewal_time: f.int('When the token was last renewed, in seconds since 1970.').optional(),
  period: f.int('The lifetime that each renewal of a periodic token grants, in seconds.').optional(),
  role: f.text('The name of the token role with which the token was created.').optional(),
  bound_cidrs: f
    .json<readonly string[]>('Networks from which the token is valid; absent if it is valid from all networks.', {
      type: 'array',
    })
    .optional(),
  namespace_path: f.text('The path of the namespace to which the token belongs; absent in the root namespace.').optional(),
  identity_policies: f
    .json<readonly string[]>("The policies of the token's entity, if it has any.", { type: 'array' })
    .optional(),
  external_namespace_policies: f
    .json<Readonly<Record<string, readonly string[]>>>(
      'Always empty. Exists because Vault shows the policies in other namespaces here.',
    )
    .optional(),
}

export type TokenInfo = Result<typeof TOKEN_INFO>

const seconds = (ms: number): number => Math.floor(ms / 1000)

/** @param id The string that the response shows as the token. */
export function infoOf(tx: Tx, id: string, token: TokenRecord): TokenInfo {
  const { expires, renewed } = token
  const namespace = TOPOLOGY.of(tx).namespaces.byUuid(token.namespace)?.path ?? ''
  const identity = identityPoliciesOf(tx, token)
  return {
    id,
    accessor: token.accessor,
    policies: [...token.policies],
    path: token.path,
    meta: token.meta && { ...token.meta },
    display_name: token.display_name,
    num_uses: Math.max(0, token.num_uses),
    orphan: isOrphan(tx, token),
    creation_time: seconds(token.created),
    creation_ttl: token.creation_ttl,
    expire_time: expires === null ? null : rfc3339(expires),
    ttl: expires === null ? 0 : Math.max(0, seconds(expires - tx.now)),
    explicit_max_ttl: token.explicit_max_ttl,
    entity_id: token.entity,
    type: token.type,
    renewable: token.renewable,
    issue_time: rfc3339(token.created),
    ...(renewed === null ? {} : { last_renewal: rfc3339(renewed), last_renewal_time: seconds(renewed) }),
    ...(token.period > 0 ? { period: token.period } : {}),
    ...(token.role === '' ? {} : { role: token.role }),
    ...(token.bound_cidrs.length > 0 ? { bound_cidrs: [...token.bound_cidrs] } : {}),
    ...(namespace === '' ? {} : { namespace_path: namespace }),
    ...(identity.length > 0 ? { identity_policies: [...identity], external_namespace_policies: {} } : {}),
  }
}
