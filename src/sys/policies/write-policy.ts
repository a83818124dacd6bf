/** POST sys/policies/acl/:name (source: behaviour of the originals). */
import { POLICY } from '../../core/access/policies.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { checkWritable } from '../../core/field/free-path.ts'
import { readPolicy } from '../../core/policy/index.ts'
import { checkOwn, NAME } from './names.ts'
import { plainText } from './plain-text.ts'

export const POLICY_FIELDS = {
  name: NAME,
  policy: f.text('The rules, in HCL or JSON, or base64 of that.').default(''),
  rules: f.text('The old name of `policy`.').default(''),
}

/** Stores a policy. It applies from this commit on to tokens that name it. */
export function storePolicy(
  tx: Tx,
  input: { readonly name: string; readonly policy: string; readonly rules: string },
): undefined {
  checkWritable(input.name, 'name')
  const name = input.name.toLowerCase()
  checkOwn(name, 'update')
  const given = input.policy || input.rules
  if (given === '') throw invalid("policy: 'policy' parameter not supplied or empty")
  const text = plainText(given)
  tx.steps('policy', () => readPolicy(text))
  tx.put(POLICY, `${tx.call.namespace.uuid}/${name}`, { text })
  tx.event('policy.written', { name })
  if (name !== input.name) tx.warn(`policy name was converted to ${name}`)
  if (input.policy === '') tx.warn("'rules' is deprecated, please use 'policy' instead")
  return undefined
}

export const writePolicy = operation({
  kind: 'write',
  verb: 'POST',
  path: '/policies/acl/+name',
  summary: 'Makes or replaces a policy.',
  fields: POLICY_FIELDS,
  returns: {},
  run: storePolicy,
})
