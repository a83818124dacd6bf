/** sys/policy: policies under the path and in the format of Vault's first releases. */
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { removePolicy } from './delete-policy.ts'
import { POLICY_NAME, policyNames } from './names.ts'
import { POLICY_RESULT, viewOf } from './read-policy.ts'
import { POLICY_FIELDS, storePolicy } from './write-policy.ts'

const LIST_RESULT = {
  keys: f.json<readonly string[]>('The names of the policies.', { type: 'array' }),
  policies: f.json<readonly string[]>('The same names as `keys`.', { type: 'array' }),
}

function bothNames(tx: Tx): { readonly keys: readonly string[]; readonly policies: readonly string[] } {
  const names = policyNames(tx)
  return { keys: names, policies: names }
}

export const listOld = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/policy',
  aliasPaths: ['/policies/acl'],
  summary: 'Lists the names of all policies.',
  fields: {},
  returns: LIST_RESULT,
  wire: (data) => ({ data, repeated: true }),
  run: bothNames,
})

export const readAllOld = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policy',
  aliasPaths: ['/policies/acl/'],
  summary: 'Lists the names of all policies.',
  fields: {},
  returns: LIST_RESULT,
  wire: (data) => ({ data, repeated: true }),
  run: bothNames,
})

export const readOld = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policy/+name',
  aliasPaths: ['/policies/acl/+name'],
  summary: 'Shows a policy.',
  fields: { name: POLICY_NAME },
  returns: { ...POLICY_RESULT, rules: f.text('The text of the policy.') },
  wire: (data) => ({ data, repeated: true }),
  run: (tx, input) => {
    const found = viewOf(tx, foldName(input.name))
    return found && { ...found.view, rules: found.text }
  },
})

export const writeOld = operation({
  kind: 'write',
  verb: 'POST',
  path: '/policy/+name',
  aliasPaths: ['/policies/acl/+name'],
  forwardable: true,
  summary: 'Creates or replaces a policy.',
  fields: POLICY_FIELDS,
  returns: {},
  run: storePolicy,
})

export const deleteOld = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/policy/+name',
  aliasPaths: ['/policies/acl/+name'],
  forwardable: true,
  summary: 'Deletes a policy.',
  fields: { name: POLICY_NAME },
  returns: {},
  run: removePolicy,
})
