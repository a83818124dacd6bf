import type { Permission, RulesExplanation } from '../../rules/index.ts'
import { type AclCaller, coversNamespace } from '../acl-caller.ts'

/**
 * Which rule made a decision:
 * - a policy and its rule
 * - `default`: no rule matches, so the default policy of the service decided
 * - `namespace`: the token belongs to another namespace
 * - `authority`: no rule was needed, because the application itself made the call or ACLs are disabled
 */
export interface DecisionExplanation {
  /** Whether the access is allowed. */
  readonly allow: boolean
  /** The rule that decided. */
  readonly by: RulesExplanation['by'] | 'namespace' | 'authority'
}

export function explainDecision(
  { token, authorizer }: AclCaller,
  namespace: string,
  { resource, access }: Permission,
  segment: string,
): DecisionExplanation {
  if (!token || !authorizer) return { allow: true, by: 'authority' }
  if (!coversNamespace(token, namespace)) return { allow: false, by: 'namespace' }
  return authorizer.explain(resource, access, segment)
}
