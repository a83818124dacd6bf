/**
 * Clears away what belonged to a deleted auth method, in commits of bounded size. Rules and tokens of it count no more since the commit that
 * removed it, and none are added: whatever makes one reads the method in the same commit.
 */
import { gather } from '../../../core/transaction/gather.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { ACL_TOKEN, BINDING_RULE, RULE_OF_METHOD, TOKEN_OF_METHOD } from '../records.ts'
import { deleteToken } from '../tokens/create-token.ts'

/** The work of housekeeping that clears away; the uuid of the method follows. */
export const AUTH_METHOD_JOB = 'auth-method'

/** Each takes four writes. */
const TOKENS_PER_COMMIT = 16

/** Each takes two writes. */
const RULES_PER_COMMIT = 32

/** Due whatever the clock shows. */
const DUE_NOW = 0

export const scheduleClearMethod = (tx: ConfigTx, uuid: string): void =>
  tx.due('housekeeping', `${AUTH_METHOD_JOB}/${uuid}`, { to: DUE_NOW })

/** Runs one step. */
export function clearMethod(tx: ConfigTx, uuid: string): void {
  // Every commit of this service has an index. No table shows what goes here.
  nextIndex(tx)
  if (clearTokens(tx, uuid) || clearRules(tx, uuid)) scheduleClearMethod(tx, uuid)
}

function clearTokens(tx: ConfigTx, uuid: string): boolean {
  const ids = tx.leftovers(TOKEN_OF_METHOD, `${uuid}/`, TOKENS_PER_COMMIT)
  const tokens = gather(ids, (id) => tx.get(ACL_TOKEN, id))
  for (const [i, id] of ids.entries()) {
    const token = tokens[i]
    if (token) deleteToken(tx, id, token)
    tx.delete(TOKEN_OF_METHOD, `${uuid}/${id}`)
  }
  return ids.length > 0
}

function clearRules(tx: ConfigTx, uuid: string): boolean {
  const ids = tx.leftovers(RULE_OF_METHOD, `${uuid}/`, RULES_PER_COMMIT)
  const rules = gather(ids, (id) => tx.get(RULE_OF_METHOD, `${uuid}/${id}`))
  for (const rule of rules) if (rule !== undefined) tx.delete(BINDING_RULE, rule)
  for (const id of ids) tx.delete(RULE_OF_METHOD, `${uuid}/${id}`)
  return ids.length > 0
}
