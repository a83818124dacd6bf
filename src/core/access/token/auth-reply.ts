import type { Auth } from '../../contract/auth-reply.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { ENTITY } from '../identity/entity.ts'
import { isOrphan } from './ancestry.ts'
import { normalizePolicies } from './token.ts'

/** The policies that the token gets from its entity. */
export function identityPoliciesOf(tx: Tx, { entity, namespace }: TokenRecord): readonly string[] {
  return entity === '' ? [] : normalizePolicies(tx.get(ENTITY, `${namespace}/${entity}`)?.policies ?? [])
}

/** The member `auth` of a response with a token. @param ttl Seconds. */
export function authOf(tx: Tx, text: string, token: TokenRecord, ttl: number): Auth {
  const identity = identityPoliciesOf(tx, token)
  return {
    client_token: text,
    accessor: token.accessor,
    policies: [...new Set([...token.policies, ...identity])].sort(),
    token_policies: [...token.policies],
    ...(identity.length > 0 ? { identity_policies: [...identity] } : {}),
    metadata: token.meta && { ...token.meta },
    lease_duration: ttl,
    renewable: token.renewable,
    entity_id: token.entity,
    token_type: token.type,
    orphan: isOrphan(tx, token),
    mfa_requirement: null,
    num_uses: token.num_uses,
  }
}
