/**
 * A token is good as long as it and all tokens it descends from are.
 */
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { isEnded } from '../lease/ending.ts'
import { isAlive, TOKEN } from './token.ts'

export interface Ancestor {
  readonly id: string
  readonly record: TokenRecord
}

/**
 * Nobody makes chains as long as this on purpose; walking one costs every first use, and a commit that makes a token checks all of them,
 * of which the smallest store takes 128.
 */
export const DEEPEST = 64

/**
 * The token and its parents, itself first; undefined when any of them is dead, so that revoking one ends all below it in that moment.
 * What a write does with the answer holds: its commit depends on every record of the chain.
 * @param id Empty: the parent of an orphan, which has no ancestors.
 */
export function ancestors(tx: Tx, id: string): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let next = id; next !== ''; ) {
    const record = tx.get(TOKEN, next)
    // Children of a token that goes alone are orphans from that moment on.
    if (record?.state === 'orphaning' && chain.length > 0) break
    if (!record || !isAlive(record, tx.now) || chain.length === DEEPEST) return undefined
    // A token without an end is no lease.
    if (record.expires !== null && isEnded(tx, record.namespace, `${record.path}/${next}`, record.era ?? 0)) return undefined
    chain.push({ id: next, record })
    next = record.parent
  }
  return chain
}

/** Whether a token that is alive has no parent to die with, or none any more. */
export const isOrphan = (tx: Tx, { parent }: TokenRecord): boolean =>
  parent === '' || tx.get(TOKEN, parent)?.state === 'orphaning'
