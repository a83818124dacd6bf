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
 * Longer chains are never useful. The first use of a token reads the whole chain, and a commit that creates a token checks all ancestors;
 * the storage with the smallest limit allows 128 checks.
 */
export const MAX_ANCESTORS = 64

/**
 * The token and its ancestors, the token first. Undefined if any of them is invalid, so that revoking a token invalidates all its
 * descendants at once. A write may rely on the result, because its commit depends on every record of the chain.
 * @param id Empty (the parent of an orphan) returns an empty chain.
 */
export function ancestors(tx: Tx, id: string): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let next = id; next !== ''; ) {
    const record = tx.get(TOKEN, next)
    // The children of a token that is revoked alone become orphans at that moment.
    if (record?.state === 'orphaning' && chain.length > 0) break
    if (!record || !isAlive(record, tx.now) || chain.length === MAX_ANCESTORS) return undefined
    // A token without an expiry has no lease.
    if (record.expires !== null && isCutOff(tx, record.namespace, `${record.path}/${next}`, record.era ?? 0)) return undefined
    chain.push({ id: next, record })
    next = record.parent
  }
  return chain
}

/** Whether a valid token has no parent that it is revoked with. */
export const isOrphan = (tx: Tx, { parent }: TokenRecord): boolean =>
  parent === '' || tx.get(TOKEN, parent)?.state === 'orphaning'
