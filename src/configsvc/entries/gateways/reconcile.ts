/**
 * Reconciles API gateways with their routes: computes what a gateway serves, and the Status of gateways and routes. The result depends only
 * on the entries, so repeating it changes nothing.
 */
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { Compiler } from '../graph/compiler.ts'
import { foldEntryName, type ReferenceLookup } from '../graph/graph-entries.ts'
import { type EvaluatedRoute, evaluateRoute, isAccepted, isRoute, prefetchTargets } from './acceptance.ts'
import { bindRoutes } from './bind.ts'
import { reasonUnbound } from './binding.ts'
import { type ConditionDraft, conditionDraft, conflictDraft, nextStatus } from './conditions.ts'
import {
  type BoundApiGateway,
  type EntryStatus,
  type GatewayEntries,
  type ResourceReference,
  type RouteKey,
  referenceOf,
} from './gateway-entries.ts'
import { GatewayLookup, type ResolvedGateway, type ResolvedListener } from './gateway-lookup.ts'

export interface RouteStatus extends RouteKey {
  readonly status: EntryStatus
}

export interface ReconciledGateway {
  /** Undefined if the gateway does not exist; in that case its bound-api-gateway entry is deleted. */
  readonly bound: BoundApiGateway | undefined
  readonly status: EntryStatus | undefined
}

const GONE: ReconciledGateway = { bound: undefined, status: undefined }

/** @param now The transition time for changed conditions, RFC 3339. */
export function* reconcileGateway(
  entries: GatewayEntries,
  references: Pick<ReferenceLookup, 'referring'>,
  name: string,
  now: string,
): Steps<ReconciledGateway> {
  const gateway = yield* new GatewayLookup(entries).get(name)
  if (!gateway) return GONE
  const referring = yield* entries.load(() => [...references.referring('api-gateway', name)])
  const keys = yield* sortSteps(referring.filter(isRoute), kindAndName)
  const routes = gateway.accepted ? (yield* evaluateRoutes(entries, keys)).filter(isAccepted) : []
  const bound = yield* bindRoutes(gateway, routes)
  return { bound, status: yield* gatewayStatus(gateway, bound, now) }
}

/** The Status of each route, in the order of `keys`. Routes that do not exist are omitted. */
export function* reconcileRoutes(entries: GatewayEntries, keys: readonly RouteKey[], now: string): Steps<readonly RouteStatus[]> {
  const gateways = new GatewayLookup(entries)
  const pace = new Pace()
  const found: RouteStatus[] = []
  for (const route of yield* evaluateRoutes(entries, keys)) {
    const { kind, name } = route
    if (pace.spend(ROUTE_MICROSECONDS)) yield
    found.push({ kind, name, status: yield* routeStatus(gateways, route, now) })
  }
  return found
}

function* evaluateRoutes(entries: GatewayEntries, keys: readonly RouteKey[]): Steps<readonly EvaluatedRoute[]> {
  yield* prefetchTargets(entries, keys)
  const pace = new Pace()
  const compiler = new Compiler(entries)
  const evaluated: EvaluatedRoute[] = []
  for (const { kind, name } of keys) {
    if (pace.spend(ROUTE_MICROSECONDS)) yield
    const route = yield* evaluateRoute(entries, compiler, kind, name)
    if (route) evaluated.push(route)
  }
  return evaluated
}

const kindAndName = ({ kind, name }: RouteKey): string => `${kind}/${foldEntryName(name)}`

/** The estimated cost of a route whose services are already loaded. */
const ROUTE_MICROSECONDS = 40

/** The estimated cost of evaluating one parent or listener and of writing its condition. */
const CONDITION_MICROSECONDS = 20

/** The maximum number of parents or listeners that get conditions, which are stored in the entry. */
const MAX_CONDITIONS = 5_000

function* routeStatus(gateways: GatewayLookup, route: EvaluatedRoute, now: string): Steps<EntryStatus> {
  const pace = new Pace()
  const findings: ConditionDraft[] = [route.accepted]
  for (const written of route.entry.Parents?.slice(0, MAX_CONDITIONS) ?? []) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    const parent = referenceOf(written, 'api-gateway')
    findings.push(conditionDraft('Bound', parent, yield* reasonUnbound(gateways, parent, route), 'the route is bound'))
  }
  return yield* nextStatus(findings, route.entry, now)
}

function* gatewayStatus(
  { entry, accepted, listeners }: ResolvedGateway,
  bound: BoundApiGateway,
  now: string,
): Steps<EntryStatus> {
  const pace = new Pace()
  const against = accepted ? undefined : (['InvalidCertificates', 'certificates of the gateway are missing'] as const)
  const findings = [conditionDraft('Accepted', referenceOf(entry, 'api-gateway'), against, 'the gateway is valid')]
  for (const { Name, Routes } of bound.Listeners.slice(0, MAX_CONDITIONS)) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    const resource = referenceOf({ Name: entry.Name, SectionName: Name }, 'api-gateway')
    const { listener, missing } = listeners.get(Name) as ResolvedListener
    findings.push(conditionDraft('ResolvedRefs', resource, reasonUnresolved(missing), 'all references are resolved'))
    findings.push(conflictDraft(resource, listener.Protocol === 'tcp' ? Routes.length : 0))
  }
  return yield* nextStatus(findings, entry, now)
}

const reasonUnresolved = (missing: readonly ResourceReference[]) =>
  missing.length === 0
    ? undefined
    : (['InvalidCertificateRef', `missing: ${missing.map(({ Kind, Name }) => `${Kind} ${quoteText(Name)}`).join(', ')}`] as const)
