/**
 * A token is valid as long as it and all its ancestors are.
 */
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { isCutOff } from '../lease/cutoff.ts'
import { isAlive, TOKEN } from './token.ts'

export interface Ancestor {
  readonly id: string
  readonly record: TokenRecord
}

/**
 * No one makes such long chains on purpose. A walk costs every first use, and a commit that makes a token checks all ancestors, of which
 * the smallest store takes 128.
 */
export const MAX_ANCESTORS = 64

/**
 * The token and its ancestors, itself first; undefined when any of them is dead, so that revoking one ends all its descendants at
 * once. A write may rely on the answer: its commit depends on every record of the chain.
 * @param id Empty: the parent of an orphan, which has no ancestors.
 */
export function ancestors(tx: Tx, id: string): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let next = id; next !== ''; ) {
    const record = tx.get(TOKEN, next)
    // Children of a token that is revoked alone are orphans from that moment on.
    if (record?.state === 'orphaning' && chain.length > 0) break
    if (!record || !isAlive(record, tx.now) || chain.length === MAX_ANCESTORS) return undefined
    // A token without expiry has no lease.
    if (record.expires !== null && isCutOff(tx, record.namespace, `${record.path}/${next}`, record.era ?? 0)) return undefined
    chain.push({ id: next, record })
    next = record.parent
  }
  return chain
}

/** Whether a live token has no parent that it ends with. */
export const isOrphan = (tx: Tx, { parent }: TokenRecord): boolean =>
  parent === '' || tx.get(TOKEN, parent)?.state === 'orphaning'
