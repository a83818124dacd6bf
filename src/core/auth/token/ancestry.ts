/**
 * A token is good as long as it and all tokens it descends from are. Room: core/auth. Imported by the authority and the token operations.
 */
import type { Tx } from '../../transaction/tx.ts'
import { isAlive, TOKEN, type TokenRecord } from './token.ts'

export interface Ancestor {
  readonly id: string
  readonly record: TokenRecord
}

/** Nobody makes chains as long as this on purpose; walking one costs every first use. */
export const DEEPEST = 256

/**
 * The token and its parents, itself first; undefined when any of them is dead, so that revoking one ends all below it in that moment.
 * @param id A token's, or where `of` is `child` that of its parent: empty for an orphan.
 */
export function ancestors(tx: Tx, id: string, of: 'token' | 'child' = 'token'): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let next = id; next !== ''; ) {
    const record = tx.get(TOKEN, next)
    // Children of a token that goes alone are orphans from that moment on.
    if (record?.state === 'orphaning' && (of === 'child' || chain.length > 0)) break
    if (!record || !isAlive(record, tx.now) || chain.length === DEEPEST) return undefined
    chain.push({ id: next, record })
    next = record.parent
  }
  return chain
}
