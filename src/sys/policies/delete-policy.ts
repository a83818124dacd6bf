/** DELETE sys/policies/acl/:name (source: behaviour of the originals). */
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { dropPolicy } from './end-policy.ts'
import { checkOwn, NAME } from './names.ts'

/** A missing policy is no error. */
export function removePolicy(tx: Tx, { name }: { readonly name: string }): undefined {
  const lower = foldName(name)
  checkOwn(lower, 'delete')
  dropPolicy(tx, `${tx.call.namespace.uuid}/${lower}`)
  tx.event('policy.deleted', { name: lower })
  return undefined
}

export const deletePolicy = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/policies/acl/+name',
  alsoAt: ['/policy/+name'],
  forwardable: true,
  summary: 'Deletes a policy; tokens that name it have less from then on.',
  fields: { name: NAME },
  returns: {},
  run: removePolicy,
})
