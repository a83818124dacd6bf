/** LIST sys/policies/acl, as in Vault. */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { policyNames } from './names.ts'

/** @throws no errors of its own. */
export const listPolicies = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/policies/acl',
  aliasPaths: ['/policy'],
  summary: 'Lists the names of all policies, in byte order.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('The names of the policies.', { type: 'array' }) },
  run: (tx) => ({ keys: policyNames(tx) }),
})
