/** Computes the bound-api-gateway entry and the Status of a gateway. */
import type { Steps } from '../../../core/base/steps.ts'
import type { BoundApiGateway } from '../gateways/gateway-entries.ts'
import { reconcileGateway } from '../gateways/reconcile.ts'
import type { NormalizedEntry } from '../kind.ts'
import { readConfigEntry } from '../read-entry.ts'
import { sameEntry } from '../same-entry.ts'
import { entryWrite } from '../store/commit-plan.ts'
import { targetsOf } from '../store/reference-index.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { ReconciliationContext, ReconciliationPlan } from './reconciliation-context.ts'
import { statusWrites } from './status.ts'

/** @param name The name of the gateway, which need not exist. */
export function* planGateway(mesh: ReconciliationContext, name: string): Steps<ReconciliationPlan> {
  const { bound, status } = yield* reconcileGateway(mesh.entries, mesh.references, name, mesh.now)
  const gateway = mesh.stored('api-gateway', name)
  const before = mesh.stored('bound-api-gateway', name)
  const after = gateway && bound && (yield* boundEntry(bound, gateway))
  const isSame = before && after ? sameEntry(before, after) : !before && !after
  const change = { kind: 'bound-api-gateway', name: gateway?.Name ?? name, before, after } as const
  const writes = isSame ? [] : [yield* entryWrite(change, [yield* targetsOf(before), yield* targetsOf(after)], mesh.index)]
  return { writes: [...writes, ...(gateway && status ? yield* statusWrites(mesh, gateway, status) : [])], jobs: [] }
}

/** The bound-api-gateway entry in its stored form, with the namespace and partition of the gateway. */
const boundEntry = (bound: BoundApiGateway, { Namespace, Partition }: StoredEntry): Steps<NormalizedEntry> =>
  readConfigEntry({ ...bound, ...(Namespace && { Namespace }), ...(Partition && { Partition }) })
