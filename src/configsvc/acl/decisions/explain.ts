/**
 * Why a decision is as it is.
 */
import type { Permission, RulesExplanation } from '../../rules/index.ts'
import { type AclCaller, coversNamespace } from '../acl-caller.ts'

/**
 * - a policy and its rule: the one that decided
 * - `default`: no rule is about it, so that what the service was made with counts
 * - `namespace`: the token is from another namespace
 * - `authority`: the application asks, or tokens do not decide
 */
export interface DecisionExplanation {
  /** Whether it is allowed. */
  readonly allow: boolean
  /** What decided. */
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
