/** A token is valid while it and all its ancestors are valid. */
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { isCutOff } from '../lease/cutoff.ts'
import { isAlive, TOKEN } from './token.ts'

export interface Ancestor {
  readonly id: string
  readonly record: TokenRecord
}

/**
 * The limit exists because the first use of a token reads the whole chain, and a commit that creates a token checks every ancestor. The
 * storage with the smallest limit allows 128 checks per commit. Longer chains have no use.
 */
export const MAX_ANCESTORS = 64

/**
 * The token, followed by its ancestors. Undefined if any of them is invalid: revoking a token thus invalidates all its descendants
 * immediately. A write may rely on the result, because its commit checks every record of the chain.
 * @param id The id of the token, or an empty string, for which the result is an empty list. A token without a parent stores an empty id of
 * its parent.
 */
export function ancestors(tx: Tx, id: string): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let next = id; next !== ''; ) {
    const record = tx.get(TOKEN, next)
    // This ancestor was revoked without its children, so its child now counts as a token without a parent.
    if (record?.state === 'orphaning' && chain.length > 0) break
    if (!record || !isAlive(record, tx.now) || chain.length === MAX_ANCESTORS) return undefined
    // A cutoff covers a token through the lease of the token, and a token without an expiry has no lease.
    if (record.expires !== null && isCutOff(tx, record.namespace, `${record.path}/${next}`, record.era ?? 0)) return undefined
    chain.push({ id: next, record })
    next = record.parent
  }
  return chain
}

/** Whether the token has no parent whose revocation would also revoke the token. The token must be valid. */
export const isOrphan = (tx: Tx, { parent }: TokenRecord): boolean =>
  parent === '' || tx.get(TOKEN, parent)?.state === 'orphaning'
