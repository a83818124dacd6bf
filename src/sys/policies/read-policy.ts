/** GET sys/policies/acl/:name (source: behaviour of the originals). */
import { ROOT_POLICY, readPolicy as recordOf } from '../../core/access/policies.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { NAME } from './names.ts'

/** The text of a policy as it was written; that of the root policy is empty. */
export function textOf(tx: Tx, name: string): string | undefined {
  if (name === ROOT_POLICY) return ''
  return recordOf(tx, tx.call.namespace, name)?.text
}

export const readPolicy = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policies/acl/+name',
  summary: 'Shows a policy.',
  fields: { name: NAME },
  returns: { name: f.text('Its name.'), policy: f.text('Its text.') },
  run: (tx, input) => {
    const name = input.name.toLowerCase()
    const policy = textOf(tx, name)
    return policy === undefined ? undefined : { name, policy }
  },
})
