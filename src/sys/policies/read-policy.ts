/** GET sys/policies/acl/:name, as in Vault. */
import { type PolicyRecord, ROOT_POLICY, loadPolicy as recordOf } from '../../core/access/policies.ts'
import { rfc3339 } from '../../core/base/clock.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { POLICY_NAME } from './names.ts'

/** The root policy has no rules, so its text is empty. */
const ROOT: PolicyRecord = Object.freeze({ text: '', version: 0 })

const TIME = { type: 'string', format: 'date-time' } as const

/** The result fields of a policy, except its text, which `sys/policies/acl` calls `policy` and `sys/policy` calls `rules`. */
export const POLICY_RESULT = {
  name: f.text('The name of the policy.'),
  version: f.int('How many times the policy was written: the value for `cas` in the next write. 0 for `root`.'),
  cas_required: f.bool('Whether the next write requires `cas`.'),
  modified: f.json<string>('When the policy was written, in RFC 3339. Absent for built-in policies.', TIME).optional(),
  expiration: f.json<string>('When the policy expires, in RFC 3339. Absent if it does not expire.', TIME).optional(),
}

/** Returns the text of a policy as it was written, and its other properties; undefined if the policy does not exist or has expired. */
export function viewOf(tx: Tx, name: string) {
  const record = name === ROOT_POLICY ? ROOT : recordOf(tx, tx.call.namespace, name)
  if (!record) return undefined
  const { text, version, modified, cas_required = false, ends } = record
  const view = {
    name,
    version,
    cas_required,
    ...(modified === undefined ? {} : { modified: rfc3339(modified) }),
    ...(ends === undefined ? {} : { expiration: rfc3339(ends) }),
  }
  return { text, view }
}

/** @throws KernelError 404 if the policy does not exist. */
export const readPolicy = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policies/acl/+name',
  aliasPaths: ['/policy/+name'],
  summary: 'Shows a policy.',
  fields: { name: POLICY_NAME },
  returns: { ...POLICY_RESULT, policy: f.text('The text of the policy.') },
  run: (tx, input) => {
    const found = viewOf(tx, foldName(input.name))
    return found && { ...found.view, policy: found.text }
  },
})
