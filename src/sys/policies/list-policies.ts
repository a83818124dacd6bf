/** LIST sys/policies/acl (source: behaviour of the originals). */
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import { policyNames } from './names.ts'

export const listPolicies = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/policies/acl',
  summary: 'Lists the names of all policies, in byte order.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx) => ({ keys: policyNames(tx) }),
})
