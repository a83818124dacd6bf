/** Roles written with the deprecated parameters `policy` and `arn`, as in the first versions of Vault's AWS engine. */
import { invalid } from '../../../core/base/errors.ts'
import type { CloudRole } from '../records.ts'
import { looksLikeArn, parseArn } from './arn.ts'
import type { RoleInput } from './fields.ts'
import { compactDocument } from './policy-document.ts'

/** A role in which no parameter is set. */
export const EMPTY_ROLE: CloudRole = {
  credential_types: [],
  role_arns: null,
  policy_arns: null,
  policy_document: '',
  iam_groups: null,
  iam_tags: null,
  default_sts_ttl: 0,
  max_sts_ttl: 0,
  user_path: '',
  permissions_boundary_arn: '',
}

/**
 * Parameters that are refused together with `policy` or `arn`, because `policy` or `arn` alone defines the whole role. `iam_groups` and
 * `iam_tags` are not refused but ignored, as in Vault.
 */
const INCOMPATIBLE_PARAMETERS = [
  'credential_type',
  'role_arns',
  'policy_arns',
  'policy_document',
  'default_sts_ttl',
  'max_sts_ttl',
  'user_path',
  'permissions_boundary_arn',
] as const satisfies readonly (keyof RoleInput)[]

/**
 * Returns the complete role that `policy` or `arn` describes, or undefined if the request contains neither parameter.
 * @throws KernelError 400 if `policy` or `arn` is invalid, if the request contains both, or if it also contains one of
 * {@link INCOMPATIBLE_PARAMETERS}
 */
export function legacyRole(input: RoleInput): CloudRole | undefined {
  const { policy = '', arn = '' } = input
  if (policy === '' && arn === '') return undefined
  if (policy !== '' && arn !== '') throw invalid('policy, arn: only one of them may be given')
  const parameter = policy === '' ? 'arn' : 'policy'
  const beside = INCOMPATIBLE_PARAMETERS.filter((name) => input[name] !== undefined)
  if (beside.length > 0) throw invalid(`${parameter}: must not be given together with ${beside.join(', ')}`)
  const role = parseLegacyValue(policy || arn)
  if (!role) throw invalid(`${parameter}: must be the ARN of a role or of a policy, or a policy as JSON`)
  return { ...EMPTY_ROLE, ...role, legacy: true }
}

/** Parses the value of `policy` or of `arn`. Each of these parameters accepts an ARN as well as a policy document. */
function parseLegacyValue(value: string): Partial<CloudRole> | undefined {
  if (looksLikeArn(value)) {
    const type = parseArn(value)?.type
    if (type === 'role') return { credential_types: ['assumed_role'], role_arns: [value] }
    return type === 'policy' ? { credential_types: ['iam_user'], policy_arns: [value] } : undefined
  }
  const policy_document = compactDocument(value)
  return policy_document === undefined ? undefined : { credential_types: ['iam_user', 'federation_token'], policy_document }
}
