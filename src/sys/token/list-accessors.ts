/** LIST auth/token/accessors, as in Vault. */
import { ACCESSOR } from '../../core/access/token/token.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'

/** @throws no errors of its own. */
export const listAccessors = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/accessors',
  sudo: true,
  summary: "Lists the accessors of a namespace's tokens, in no particular order.",
  fields: {},
  returns: { keys: f.json<readonly string[]>('Accessors.', { type: 'array' }) },
  run: (tx) => {
    const prefix = `${tx.call.namespace.uuid}/`
    const records = loadAllInGroups(tx, 'accessors', tx.list(ACCESSOR, { prefix }), (id) => tx.get(ACCESSOR, prefix + id))
    return { keys: records.flatMap((record) => (record ? [record.accessor] : [])) }
  },
})
