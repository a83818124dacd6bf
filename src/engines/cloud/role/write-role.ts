import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { mergeGiven } from '../../credentials/merge-given.ts'
import type { CloudCredentialType, CloudRole } from '../records.ts'
import { CLOUD_ROLE } from '../records.ts'
import { ROLE_FIELDS, type RoleInput } from './fields.ts'
import { EMPTY_ROLE, legacyRole } from './legacy.ts'
import { compactDocument, DOCUMENT_RULE } from './policy-document.ts'
import { roleErrors } from './role-errors.ts'

/**
 * @throws KernelError 400 if a new role has no `credential_type`, if `credential_type` is unknown, if a parameter that the credential type
 *   requires is missing, if a parameter is given that the credential type does not allow, if a path, an ARN or a policy is invalid, or if
 *   `default_sts_ttl` is above `max_sts_ttl`. The message contains all errors, and nothing is stored.
 */
export const writeRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/roles/:name',
  forwardable: true,
  summary:
    'Creates a role, or changes the given parameters of an existing one. The complete new role is validated. The cloud is not called.',
  fields: ROLE_FIELDS,
  returns: {},
  run: (tx, input) => {
    const { name } = input
    const legacy = legacyRole(input)
    if (legacy) {
      tx.put(CLOUD_ROLE, name, legacy)
      tx.warn('policy, arn: are deprecated; use credential_type with role_arns, policy_arns or policy_document')
    } else {
      const old = tx.get(CLOUD_ROLE, name)
      if (old?.invalid_data) tx.warn('invalid_data: the stored text of the previous role could not be parsed and was deleted')
      tx.put(CLOUD_ROLE, name, mergeRole(old, input))
    }
    tx.event('role.written', { name })
    return undefined
  },
})

/**
 * Returns the role that a request without `policy` and `arn` produces. A stored parameter is kept if the request does not contain it, and
 * removed if the request contains an empty value. The resulting role is never a legacy role, so both `creds` and `sts` can use it.
 * @throws KernelError 400 if the role is invalid. The message contains all errors of the role.
 */
export function mergeRole(stored: CloudRole | undefined, input: Omit<RoleInput, 'name'>): CloudRole {
  const { legacy: _path, invalid_data: _data, ...old } = stored ?? EMPTY_ROLE
  const { credential_type } = input
  const merged = mergeGiven(old, input)
  const { policy_document } = merged
  const compact = policy_document === '' ? '' : compactDocument(policy_document)
  const validated = {
    ...merged,
    credential_types: credential_type === undefined ? old.credential_types : [credential_type],
    policy_document: compact ?? policy_document,
  }
  const mistakes = roleErrors(validated)
  const all = compact === undefined ? [...mistakes, `policy_document: ${DOCUMENT_RULE}`] : mistakes
  if (all.length > 0) throw invalid(all.join('; '))
  return validated as typeof validated & { readonly credential_types: readonly CloudCredentialType[] }
}
