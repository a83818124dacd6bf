/** The password policy that a request names, as in Vault. */
import { PASSWORD_POLICY } from '../../core/access/password/policy.ts'
import { invalid, KernelError, notFound } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const PASSWORD_POLICY_NAME = f.freeName('The name of the policy.')

export const idOf = (tx: Tx, name: string): string => `${tx.call.namespace.uuid}/${name}`

/** @throws KernelError 404 */
export function recordOf(tx: Tx, name: string): { readonly text: string } {
  const record = tx.get(PASSWORD_POLICY, idOf(tx, name))
  if (!record) throw notFound('name: policy does not exist')
  return record
}

/**
 * A name may contain slashes, but a path that ends in `/generate` generates a password.
 * @throws KernelError 405 for such a name, 400 for an empty one
 */
export function validatePasswordPolicyName(name: string): void {
  if (name === '') throw invalid('name: must not be empty')
  if (name.endsWith('/generate'))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', '1 error occurred:\n\t* unsupported operation\n\n')
}
