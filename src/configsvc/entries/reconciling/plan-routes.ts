/** Computes the Status of routes. */
import type { Steps } from '../../../core/base/steps.ts'
import type { RouteKey } from '../gateways/gateway-entries.ts'
import { reconcileRoutes } from '../gateways/reconcile.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryWrite } from '../store/commit-plan.ts'
import type { ReconciliationContext, ReconciliationPlan } from './reconciliation-context.ts'
import { statusWrites } from './status.ts'

/** The maximum number of parents of all routes in one commit. Each parent has a condition of about 200 bytes. */
const MAX_PARENTS_PER_COMMIT = 5_000

export interface PartialPlan extends ReconciliationPlan {
  /** The number of given routes that the plan covers, counted from the first one. */
  readonly taken: number
}

/** The existing gateways that a route names, in lower case. */
export function gatewaysOf({ entries, references }: ReconciliationContext, { kind, name }: RouteKey): readonly string[] {
  const there = new Set(references.namesOfKind('api-gateway'))
  return (entries.get(kind, name)?.Parents ?? [])
    .map(({ Name = '' }) => foldEntryName(Name))
    .filter((parent) => there.has(parent))
}

export function* planRoutes(mesh: ReconciliationContext, keys: readonly RouteKey[]): Steps<PartialPlan> {
  const some = yield* mesh.entries.load(() => routesThatFit(mesh, keys))
  const writes: EntryWrite[] = []
  for (const { kind, name, status } of yield* reconcileRoutes(mesh.entries, some, mesh.now)) {
    const before = mesh.stored(kind, name)
    if (before) writes.push(...(yield* statusWrites(mesh, before, status)))
  }
  return { writes, jobs: [], taken: some.length }
}

/** Takes as many routes from the beginning as fit into one commit, but at least one. */
function routesThatFit({ entries }: ReconciliationContext, keys: readonly RouteKey[]): readonly RouteKey[] {
  entries.prefetch(keys)
  let parents = 0
  const end = keys.findIndex(({ kind, name }, i) => {
    parents += entries.get(kind, name)?.Parents?.length ?? 0
    return i > 0 && parents > MAX_PARENTS_PER_COMMIT
  })
  return end < 0 ? keys : keys.slice(0, end)
}
