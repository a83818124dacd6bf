import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { type AuthMethodRecord, BINDING_RULE, type BindingRuleRecord, byId, RULE_OF_METHOD } from '../records.ts'

/** The binding rules of an auth method, sorted by ID. */
export function rulesOf(tx: ConfigTx, { Namespace, uuid }: AuthMethodRecord): readonly BindingRuleRecord[] {
  const ids = tx.list(RULE_OF_METHOD, { prefix: `${uuid}/` })
  return loadAll(ids, (id) => tx.get(BINDING_RULE, byId(Namespace, id))).filter((rule) => rule !== undefined)
}
