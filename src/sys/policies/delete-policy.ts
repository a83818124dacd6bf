/** DELETE sys/policies/acl/:name (source: behaviour of the originals). */
import { POLICY, storedPolicy } from '../../core/access/policies.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { scheduleEnd } from './end-policy.ts'
import { checkOwn, NAME } from './names.ts'

/** A missing policy is no error. */
export function removePolicy(tx: Tx, { name }: { readonly name: string }): undefined {
  const lower = name.toLowerCase()
  checkOwn(lower, 'delete')
  const { namespace } = tx.call
  const id = `${namespace.uuid}/${lower}`
  scheduleEnd(tx, id, storedPolicy(tx, namespace, lower), undefined)
  tx.delete(POLICY, id)
  tx.event('policy.deleted', { name: lower })
  return undefined
}

export const deletePolicy = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/policies/acl/+name',
  forwardable: true,
  summary: 'Deletes a policy; tokens that name it have less from then on.',
  fields: { name: NAME },
  returns: {},
  run: removePolicy,
})
