/** sys/policies/password, as in Vault. */
import { drawPassword as generate } from '../../core/access/password/generate.ts'
import { PASSWORD_POLICY, parsePasswordPolicy as read } from '../../core/access/password/policy.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { checkWritable } from '../../core/field/free-path.ts'
import { plainText } from '../policies/plain-text.ts'
import { idOf, PASSWORD_POLICY_NAME, recordOf, validatePasswordPolicyName } from './name.ts'

/**
 * @throws KernelError 400 if the policy is empty or cannot be parsed, if the password length of the policy is below 4 or above 100, or if
 *   the rules of the policy require more characters than its password length.
 * @throws KernelError 405 if the name ends with `/generate`, because that path generates a password.
 */
export const writePasswordPolicy = operation({
  kind: 'write',
  verb: 'POST',
  path: '/policies/password/+name',
  forwardable: true,
  summary: 'Creates or replaces a password policy.',
  fields: {
    name: PASSWORD_POLICY_NAME,
    policy: f
      .text(
        'The policy: `length = N` and blocks `rule "charset" { charset = "..." min-chars = M }`, or the same in JSON. May be encoded in base64.',
      )
      .needed(''),
  },
  returns: {},
  run: (tx, { name, policy }) => {
    validatePasswordPolicyName(name)
    checkWritable(name, 'name')
    if (policy === '') throw invalid('policy: missing policy')
    const text = plainText(policy)
    tx.steps('policy', () => read(text))
    tx.put(PASSWORD_POLICY, idOf(tx, name), { text })
    tx.event('password_policy.written', { name })
    return undefined
  },
})

/** @throws KernelError 404 if the policy does not exist. */
export const readPasswordPolicy = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policies/password/+name',
  summary: 'Shows a password policy.',
  fields: { name: PASSWORD_POLICY_NAME },
  returns: { policy: f.text('The text of the policy, as it was written.') },
  run: (tx, { name }) => ({ policy: recordOf(tx, name).text }),
})

/** @throws KernelError 405 if the name ends with `/generate`, because that path generates a password. */
export const deletePasswordPolicy = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/policies/password/+name',
  forwardable: true,
  summary: 'Deletes a password policy.',
  fields: { name: PASSWORD_POLICY_NAME },
  returns: {},
  run: (tx, { name }) => {
    validatePasswordPolicyName(name)
    if (!tx.get(PASSWORD_POLICY, idOf(tx, name))) return undefined
    tx.delete(PASSWORD_POLICY, idOf(tx, name))
    tx.event('password_policy.deleted', { name })
    return undefined
  },
})

/** @throws no errors of its own. */
export const listPasswordPolicies = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/policies/password',
  summary: 'Lists the names of all password policies, in byte order.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('The names of the policies.', { type: 'array' }) },
  run: (tx) => ({ keys: tx.list(PASSWORD_POLICY, { prefix: idOf(tx, '') }) }),
})

/**
 * @throws KernelError 400 if none of the generated passwords satisfied the policy, because random passwords almost never satisfy it.
 * @throws KernelError 404 if the policy does not exist.
 */
export const generatePassword = operation({
  kind: 'read',
  verb: 'GET',
  path: '/policies/password/+name/generate',
  summary: 'Generates a random password from a policy. The password is not stored.',
  fields: { name: PASSWORD_POLICY_NAME },
  returns: { password: f.text('The password. All passwords that the policy allows are equally likely.') },
  run: (tx, { name }) => {
    const { text } = recordOf(tx, name)
    const policy = tx.steps('policy', () => read(text), 'attempt')
    return { password: tx.steps('password', () => generate(policy, tx.env.entropy), 'attempt') }
  },
})
