/**
 * Says of routes what there is to say.
 */
import type { Steps } from '../../../core/base/steps.ts'
import type { RouteKey } from '../gateways/gateway-entries.ts'
import { reconcileRoutes } from '../gateways/reconcile.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryWrite } from '../store/commit-plan.ts'
import type { ReconciliationContext, ReconciliationPlan } from './reconciliation-context.ts'
import { statusWrites } from './status.ts'

/** Of all routes that one commit writes: there is a condition of some 200 bytes for each. */
const MAX_PARENTS_PER_COMMIT = 5_000

export interface PartialPlan extends ReconciliationPlan {
  /** How many it deals with, from the first. */
  readonly taken: number
}

/** The gateways of this mesh that a route names, in lower case. */
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

/** As many of the routes, from the first, as one commit takes; one at least. */
function routesThatFit({ entries }: ReconciliationContext, keys: readonly RouteKey[]): readonly RouteKey[] {
  entries.prefetch(keys)
  let parents = 0
  const end = keys.findIndex(({ kind, name }, i) => {
    parents += entries.get(kind, name)?.Parents?.length ?? 0
    return i > 0 && parents > MAX_PARENTS_PER_COMMIT
  })
  return end < 0 ? keys : keys.slice(0, end)
}
