/** DELETE sys/policies/acl/:name, as in Vault. */
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { dropPolicy } from './end-policy.ts'
import { checkOwn, POLICY_NAME } from './names.ts'

/** Deleting a policy that does not exist succeeds. */
export function removePolicy(tx: Tx, { name }: { readonly name: string }): undefined {
  const lower = foldName(name)
  checkOwn(lower, 'delete')
  dropPolicy(tx, `${tx.call.namespace.uuid}/${lower}`)
  tx.event('policy.deleted', { name: lower })
  return undefined
}

/** @throws KernelError 400 if the name is `root`, `response-wrapping` or `default`. */
export const deletePolicy = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/policies/acl/+name',
  aliasPaths: ['/policy/+name'],
  forwardable: true,
  summary: 'Deletes a policy. Tokens with this policy lose its capabilities at once.',
  fields: { name: POLICY_NAME },
  returns: {},
  run: removePolicy,
})
