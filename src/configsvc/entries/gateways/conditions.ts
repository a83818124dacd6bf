/**
 * Conditions: what reconciliation says of gateways, listeners and routes.
 */
import type { Condition, Reconciled, ResourceReference, Status } from './gateway-entries.ts'

/** A condition before it is known since when it holds. */
export type Finding = Omit<Condition, 'LastTransitionTime'>

const MEMBERS = ['Status', 'Reason', 'Message'] as const

const about = ({ Type, Resource }: Finding): string =>
  JSON.stringify([Type, Resource.Kind, Resource.Name.toLowerCase(), Resource.SectionName ?? ''])

/** A condition that says what it said before keeps its time. */
export function statusOf(findings: readonly Finding[], { Status }: Reconciled, now: string): Status {
  const known = new Map((Status?.Conditions ?? []).map((condition) => [about(condition), condition]))
  return {
    Conditions: findings.map((finding) => {
      const former = known.get(about(finding))
      const same = former && MEMBERS.every((member) => former[member] === finding[member])
      return { ...finding, LastTransitionTime: same ? former.LastTransitionTime : now }
    }),
  }
}

type Reason = readonly [reason: string, message: string]

/** True without a reason against it. */
export const finding = (
  Type: 'Accepted' | 'Bound' | 'ResolvedRefs',
  Resource: ResourceReference,
  against: Reason | undefined,
  message: string,
): Finding => ({
  Type,
  Status: against ? 'False' : 'True',
  Reason: against?.[0] ?? Type,
  Message: against?.[1] ?? message,
  Resource,
})

/** The one condition that is bad when it is true. @param routes How many are bound, where one is the most; else 0. */
export const conflictFinding = (Resource: ResourceReference, routes: number): Finding => ({
  Type: 'Conflicted',
  Status: routes > 1 ? 'True' : 'False',
  Reason: routes > 1 ? 'RouteConflict' : 'NoConflict',
  Message: routes > 1 ? `a tcp listener serves one route, and ${routes} are bound to it` : 'the listener has no conflicts',
  Resource,
})
