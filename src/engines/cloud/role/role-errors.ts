/** Validation of roles. A table says which credential types allow a parameter and which require it, as in Vault's AWS engine. */
import { CLOUD_CREDENTIAL_TYPES, type CloudCredentialType, type CloudRole } from '../records.ts'
import { parseArn } from './arn.ts'

/** A role before validation. Its credential types may be any strings. */
export interface RoleCandidate extends Omit<CloudRole, 'credential_types' | 'legacy' | 'invalid_data'> {
  readonly credential_types: readonly string[]
}

interface ParameterRule {
  readonly parameter: string
  readonly isGiven: (role: RoleCandidate) => boolean
  /** Credential types that allow the parameter. */
  readonly for: readonly CloudCredentialType[]
  /** Credential types that require the parameter. */
  readonly neededBy: readonly CloudCredentialType[]
}

const PARAMETER_RULES: readonly ParameterRule[] = [
  {
    parameter: 'role_arns',
    isGiven: ({ role_arns }) => (role_arns?.length ?? 0) > 0,
    for: ['assumed_role'],
    neededBy: ['assumed_role'],
  },
  {
    parameter: 'policy_arns or policy_document',
    isGiven: ({ policy_arns, policy_document }) => (policy_arns?.length ?? 0) > 0 || policy_document !== '',
    for: CLOUD_CREDENTIAL_TYPES,
    neededBy: ['iam_user', 'federation_token'],
  },
  {
    parameter: 'default_sts_ttl',
    isGiven: ({ default_sts_ttl }) => default_sts_ttl !== 0,
    for: ['assumed_role', 'federation_token'],
    neededBy: [],
  },
  {
    parameter: 'max_sts_ttl',
    isGiven: ({ max_sts_ttl }) => max_sts_ttl !== 0,
    for: ['assumed_role', 'federation_token'],
    neededBy: [],
  },
  { parameter: 'user_path', isGiven: ({ user_path }) => user_path !== '', for: ['iam_user'], neededBy: [] },
  {
    parameter: 'permissions_boundary_arn',
    isGiven: ({ permissions_boundary_arn: arn }) => arn !== '',
    for: ['iam_user'],
    neededBy: [],
  },
]

const USER_PATH = /^\/(?:[\x21-\x7f]{0,510}\/)?$/

/** Returns all errors of a role, each as `<parameter>: <rule>`. */
export function roleErrors(role: RoleCandidate): readonly string[] {
  return [...typeErrors(role), ...valueErrors(role)]
}

function typeErrors(role: RoleCandidate): readonly string[] {
  const types = role.credential_types
  if (types.length === 0) return ['credential_type: is required']
  // The other rules depend on the credential type, so stop here.
  if (!types.every(isType)) return [`credential_type: must be one of ${CLOUD_CREDENTIAL_TYPES.join(', ')}`]
  const among = (some: readonly CloudCredentialType[]): CloudCredentialType | undefined =>
    some.find((type) => types.includes(type))
  return PARAMETER_RULES.flatMap((row) => {
    if (row.isGiven(role)) return among(row.for) ? [] : [`${row.parameter}: is only allowed for ${row.for.join(' and ')}`]
    const needing = among(row.neededBy)
    return needing ? [`${row.parameter}: is required for ${needing}`] : []
  })
}

const isType = (text: string): text is CloudCredentialType => (CLOUD_CREDENTIAL_TYPES as readonly string[]).includes(text)

function valueErrors({ user_path, permissions_boundary_arn: boundary, default_sts_ttl, max_sts_ttl }: RoleCandidate) {
  const mistakes: string[] = []
  if (user_path !== '' && !USER_PATH.test(user_path))
    mistakes.push(
      'user_path: must begin and end with a slash, with at most 510 ASCII characters and no spaces between the slashes',
    )
  if (boundary !== '' && !isPolicyArn(boundary))
    mistakes.push('permissions_boundary_arn: must be the ARN of a policy, such as arn:aws:iam::123456789012:policy/boundary')
  if (max_sts_ttl > 0 && default_sts_ttl > max_sts_ttl) mistakes.push('default_sts_ttl: must not be more than max_sts_ttl')
  return mistakes
}

/** Partition, account and policy name of the ARN are not validated. */
function isPolicyArn(text: string): boolean {
  const arn = parseArn(text)
  return arn?.service === 'iam' && arn.resource.startsWith('policy/')
}
