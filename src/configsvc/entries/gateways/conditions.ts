/** Conditions in the Status of gateways, listeners and routes. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import type { Condition, EntryStatus, EntryWithStatus, ResourceReference } from './gateway-entries.ts'

/** A condition without its transition time, which is set later. */
export type ConditionDraft = Omit<Condition, 'LastTransitionTime'>

const MEMBERS = ['Status', 'Reason', 'Message'] as const

const conditionKey = ({ Type, Resource }: ConditionDraft): string =>
  JSON.stringify([Type, Resource.Kind, Resource.Name.toLowerCase(), Resource.SectionName ?? ''])

const CONDITION_MICROSECONDS = 10

/** A condition that did not change keeps its transition time. */
export function* nextStatus(findings: readonly ConditionDraft[], { Status }: EntryWithStatus, now: string): Steps<EntryStatus> {
  const pace = new Pace()
  const known = new Map<string, Condition>()
  for (const condition of Status?.Conditions ?? []) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    known.set(conditionKey(condition), condition)
  }
  const Conditions: Condition[] = []
  for (const finding of findings) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    const former = known.get(conditionKey(finding))
    const same = former && MEMBERS.every((member) => former[member] === finding[member])
    Conditions.push({ ...finding, LastTransitionTime: same ? former.LastTransitionTime : now })
  }
  return { Conditions }
}

type Reason = readonly [reason: string, message: string]

/** @param against The reason why the condition is False; undefined if it is True. @param message The message of a True condition. */
export const conditionDraft = (
  Type: 'Accepted' | 'Bound' | 'ResolvedRefs',
  Resource: ResourceReference,
  against: Reason | undefined,
  message: string,
): ConditionDraft => ({
  Type,
  Status: against ? 'False' : 'True',
  Reason: against?.[0] ?? Type,
  Message: against?.[1] ?? message,
  Resource,
})

/**
 * Unlike the other conditions, this one reports a problem when it is true. @param routes The number of bound routes if the listener
 * supports only one; otherwise 0.
 */
export const conflictDraft = (Resource: ResourceReference, routes: number): ConditionDraft => ({
  Type: 'Conflicted',
  Status: routes > 1 ? 'True' : 'False',
  Reason: routes > 1 ? 'RouteConflict' : 'NoConflict',
  Message: routes > 1 ? `a tcp listener serves one route, and ${routes} are bound to it` : 'the listener has no conflicts',
  Resource,
})
