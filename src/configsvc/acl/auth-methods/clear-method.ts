/**
 * Deletes the binding rules and tokens of a deleted auth method, in commits of bounded size. They have been invalid since the commit that
 * deleted the method, and no new ones can appear: an operation that creates a rule or token reads the method in the same commit.
 */
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { ACL_TOKEN, BINDING_RULE, RULE_OF_METHOD, TOKEN_OF_METHOD } from '../records.ts'
import { deleteAclToken } from '../tokens/create-token.ts'

/** The first part of the id under which this background work is scheduled; the uuid of the deleted method is the second part. */
export const AUTH_METHOD_JOB = 'auth-method'

/** The number of tokens to delete in one commit. Deleting a token takes up to four writes. */
const TOKENS_PER_COMMIT = 16

/** The number of binding rules to delete in one commit. Deleting a rule takes two writes. */
const RULES_PER_COMMIT = 32

/** A time in the past, so that the next call of `tick` runs the work. */
const DUE_NOW = 0

export const scheduleClearMethod = (tx: ConfigTx, uuid: string): void =>
  tx.due('housekeeping', `${AUTH_METHOD_JOB}/${uuid}`, { to: DUE_NOW })

/** Deletes one batch, and schedules the next batch if this one was not empty. */
export function clearMethod(tx: ConfigTx, uuid: string): void {
  // Every commit of this service must take an index. Reads have not shown these records since the method was deleted, so no read result
  // changes now, and no table gets this index.
  nextIndex(tx)
  if (clearTokens(tx, uuid) || clearRules(tx, uuid)) scheduleClearMethod(tx, uuid)
}

function clearTokens(tx: ConfigTx, uuid: string): boolean {
  const ids = tx.listAbandoned(TOKEN_OF_METHOD, `${uuid}/`, TOKENS_PER_COMMIT)
  const tokens = loadAll(ids, (id) => tx.get(ACL_TOKEN, id))
  for (const [i, id] of ids.entries()) {
    const token = tokens[i]
    if (token) deleteAclToken(tx, id, token)
    tx.delete(TOKEN_OF_METHOD, `${uuid}/${id}`)
  }
  return ids.length > 0
}

function clearRules(tx: ConfigTx, uuid: string): boolean {
  const ids = tx.listAbandoned(RULE_OF_METHOD, `${uuid}/`, RULES_PER_COMMIT)
  const rules = loadAll(ids, (id) => tx.get(RULE_OF_METHOD, `${uuid}/${id}`))
  for (const rule of rules) if (rule !== undefined) tx.delete(BINDING_RULE, rule)
  for (const id of ids) tx.delete(RULE_OF_METHOD, `${uuid}/${id}`)
  return ids.length > 0
}
