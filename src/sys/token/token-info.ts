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
  policies: f.json<readonly string[]>('Its own policies, sorted.', { type: 'array' }),
  path: f.text('The path of the request that created it.'),
  meta: f.json<Readonly<Record<string, string>> | null>('The metadata that was given when it was created.'),
  display_name: f.text('Its name for people.'),
  num_uses: f.int('The remaining number of uses after this one; 0 if there is no limit, and after the last use.'),
  orphan: f.bool('Whether it has no parent token.'),
  creation_time: f.int('When it was created, in seconds since 1970.'),
  creation_ttl: f.int('The lifetime at its creation, in seconds; 0 if it has no end.'),
  expire_time: f.json<string | null>('When it ends, in RFC 3339; null if it has no end.', {
    type: 'string',
    format: 'date-time',
  }),
  ttl: f.int('Remaining seconds; 0 if it has no end.'),
  explicit_max_ttl: f.int('The maximum lifetime including renewals, in seconds; 0 for no maximum.'),
  entity_id: f.text('The id of its entity, or empty.'),
  type: f.json<'service' | 'batch'>('`service`: stored. `batch`: encrypted, and kept only by its owner.', { type: 'string' }),
  renewable: f.bool('Whether it can be renewed.'),
  issue_time: f.text('When it was created, in RFC 3339.'),
  last_renewal: f.text('When it was last renewed, in RFC 3339.').optional(),
  last_renewal_time: f.int('When it was last renewed, in seconds since 1970.').optional(),
  period: f.int('The lifetime of each renewal of a periodic token, in seconds.').optional(),
  role: f.text('The token role that created it.').optional(),
  bound_cidrs: f.json<readonly string[]>('Networks from which it is valid.', { type: 'array' }).optional(),
  namespace_path: f.text('Its namespace, if that is not the root.').optional(),
  identity_policies: f.json<readonly string[]>('The policies of its entity, if it has any.', { type: 'array' }).optional(),
  external_namespace_policies: f
    .json<Readonly<Record<string, readonly string[]>>>('Its policies of other namespaces: always empty.')
    .optional(),
}

export type TokenInfo = Result<typeof TOKEN_INFO>

const seconds = (ms: number): number => Math.floor(ms / 1000)

/** @param id The text that the answer shows as the token. */
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
