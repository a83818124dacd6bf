/** Finds the routes and gateways that a changed entry affects, and handles a limited number of them in each commit. */
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { isSteps, type Steps } from '../../../core/base/steps.ts'
import { loadAllSteps } from '../../../core/transaction/load-all.ts'
import type { EntryKey } from '../graph/graph-entries.ts'
import type { EntryKindName } from '../kind.ts'
import { segmentOf } from '../store/entry-records.ts'
import { entryJob, gatewayJob } from './jobs.ts'
import { EMPTY_PLAN, type ReconciliationContext, type ReconciliationPlan } from './reconciliation-context.ts'
import { type ReconciliationRule, reconciliationRuleOf } from './reconciliation-rules.ts'

/** The maximum number of routes or gateways that one commit handles. Each of them needs at most two writes. */
const MAX_ENTRIES_PER_STEP = 40

/**
 * A cursor that begins with this character names the last scheduled gateway; other cursors name a route or gateway by its kind. The
 * character sorts after all kinds, because gateways are scheduled after the routes.
 */
const GATEWAY_CURSOR = '~'

const REFERENCE_MICROSECONDS = 5

const cursorOf = ({ kind, name }: EntryKey): string => `${kind}/${segmentOf(name)}`

/** @param after The cursor at which the previous commit ended; undefined for the first commit. */
export function* planEntry(
  mesh: ReconciliationContext,
  kind: EntryKindName,
  name: string,
  after: string | undefined,
): Steps<ReconciliationPlan> {
  const row = reconciliationRuleOf(kind)
  if (!row) return EMPTY_PLAN
  const goOn = (last: string): string => entryJob(mesh.namespace, kind, name, last)
  const found = yield* drainSteps(row.findAffected(mesh, name))
  if (after?.startsWith(GATEWAY_CURSOR)) return yield* scheduleGateways(mesh, found, after, goOn)
  const own = after === undefined && row.before ? yield* drainSteps(row.before(mesh, name)) : EMPTY_PLAN
  const { writes, jobs } = yield* planStep(mesh, row, found, after, goOn)
  return { writes: [...own.writes, ...writes], jobs: [...own.jobs, ...jobs] }
}

function* planStep(
  mesh: ReconciliationContext,
  row: ReconciliationRule,
  found: readonly EntryKey<EntryKindName>[],
  after: string | undefined,
  goOn: (last: string) => string,
): Steps<ReconciliationPlan> {
  const known = new Map(found.map((key) => [cursorOf(key), key]))
  const places = yield* sortSteps([...known.keys()], (place) => place)
  const left = after === undefined ? places : places.filter((place) => place > after)
  const keys = left.slice(0, MAX_ENTRIES_PER_STEP).map((place) => known.get(place) as EntryKey<EntryKindName>)
  const { writes, jobs, taken } = yield* drainSteps(row.process(mesh, keys))
  if (taken < left.length) return { writes, jobs: [...jobs, goOn(left[taken - 1] as string)] }
  return { writes, jobs: row.thenGateways && found.length > 0 ? [...jobs, goOn(GATEWAY_CURSOR)] : jobs }
}

/** Schedules the gateways that any of the routes names. */
function* scheduleGateways(
  { namespace, entries, references }: ReconciliationContext,
  routes: readonly EntryKey[],
  after: string,
  goOn: (last: string) => string,
): Steps<ReconciliationPlan> {
  const places = new Set(routes.map(cursorOf))
  const names = (yield* entries.load(() => references.namesOfKind('api-gateway'))).filter(
    (name) => GATEWAY_CURSOR + segmentOf(name) > after,
  )
  const concerns = (name: string): boolean => references.referring('api-gateway', name).some((key) => places.has(cursorOf(key)))
  const concerned = yield* loadAllSteps(names, concerns, REFERENCE_MICROSECONDS)
  const gateways = yield* sortSteps(
    names.filter((_, i) => concerned[i]),
    segmentOf,
  )
  const some = gateways.slice(0, MAX_ENTRIES_PER_STEP)
  const jobs = some.map((name) => gatewayJob(namespace, name))
  return {
    writes: [],
    jobs: some.length < gateways.length ? [...jobs, goOn(GATEWAY_CURSOR + segmentOf(some.at(-1) as string))] : jobs,
  }
}

function* drainSteps<T>(outcome: T | Steps<T>): Steps<T> {
  return isSteps(outcome) ? yield* outcome : outcome
}
