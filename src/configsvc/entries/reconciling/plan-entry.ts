/**
 * Looks at what a change of an entry concerns, one part after the other.
 */
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { isSteps, type Steps } from '../../../core/base/steps.ts'
import { gatherSteps } from '../../../core/transaction/gather.ts'
import type { EntryKey } from '../graph/entries-read.ts'
import type { KindName } from '../kind.ts'
import { segmentOf } from '../store/entry-records.ts'
import { entryJob, gatewayJob } from './jobs.ts'
import { type Mesh, NOTHING, type Plan } from './mesh.ts'
import { type Row, rowOf } from './rows.ts'

/** Each takes two writes at most. */
const MOST_AT_ONCE = 40

/** In front of the gateway up to which gateways were told; kinds come before it. */
const TOLD = '~'

const REFERENCE_MICROSECONDS = 5

const placeOf = ({ kind, name }: EntryKey): string => `${kind}/${segmentOf(name)}`

/** @param after What was dealt with before, up to here; undefined: nothing. */
export function* planEntry(mesh: Mesh, kind: KindName, name: string, after: string | undefined): Steps<Plan> {
  const row = rowOf(kind)
  if (!row) return NOTHING
  const goOn = (last: string): string => entryJob(mesh.namespace, kind, name, last)
  const found = yield* stepped(row.find(mesh, name))
  if (after?.startsWith(TOLD)) return yield* tellGateways(mesh, found, after, goOn)
  const own = after === undefined && row.own ? yield* stepped(row.own(mesh, name)) : NOTHING
  const { writes, jobs } = yield* takeSome(mesh, row, found, after, goOn)
  return { writes: [...own.writes, ...writes], jobs: [...own.jobs, ...jobs] }
}

function* takeSome(
  mesh: Mesh,
  row: Row,
  found: readonly EntryKey<KindName>[],
  after: string | undefined,
  goOn: (last: string) => string,
): Steps<Plan> {
  const known = new Map(found.map((key) => [placeOf(key), key]))
  const places = yield* sortSteps([...known.keys()], (place) => place)
  const left = after === undefined ? places : places.filter((place) => place > after)
  const keys = left.slice(0, MOST_AT_ONCE).map((place) => known.get(place) as EntryKey<KindName>)
  const { writes, jobs, taken } = yield* stepped(row.take(mesh, keys))
  if (taken < left.length) return { writes, jobs: [...jobs, goOn(left[taken - 1] as string)] }
  return { writes, jobs: row.thenGateways && found.length > 0 ? [...jobs, goOn(TOLD)] : jobs }
}

/** Tells the gateways that any of the routes names. */
function* tellGateways(
  { namespace, entries, references }: Mesh,
  routes: readonly EntryKey[],
  after: string,
  goOn: (last: string) => string,
): Steps<Plan> {
  const places = new Set(routes.map(placeOf))
  const names = (yield* entries.loaded(() => references.allOf('api-gateway'))).filter((name) => TOLD + segmentOf(name) > after)
  const concerns = (name: string): boolean => references.referring('api-gateway', name).some((key) => places.has(placeOf(key)))
  const concerned = yield* gatherSteps(names, concerns, REFERENCE_MICROSECONDS)
  const gateways = yield* sortSteps(
    names.filter((_, i) => concerned[i]),
    segmentOf,
  )
  const some = gateways.slice(0, MOST_AT_ONCE)
  const jobs = some.map((name) => gatewayJob(namespace, name))
  return { writes: [], jobs: some.length < gateways.length ? [...jobs, goOn(TOLD + segmentOf(some.at(-1) as string))] : jobs }
}

function* stepped<T>(outcome: T | Steps<T>): Steps<T> {
  return isSteps(outcome) ? yield* outcome : outcome
}
