/**
 * Reconciles API gateways with their routes: what a gateway serves, and what there is to say of both. The same entries give the same
 * result, whenever and however often.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import { Compiler } from '../graph/compiler.ts'
import { fold, type References } from '../graph/entries-read.ts'
import { isAccepted, isRoute, type JudgedRoute, judgeRoute } from './acceptance.ts'
import { bind } from './bind.ts'
import { reasonUnbound } from './binding.ts'
import { conflictFinding, type Finding, finding, statusOf } from './conditions.ts'
import {
  type BoundApiGateway,
  type GatewayEntries,
  type ResourceReference,
  type RouteKey,
  referenceOf,
  type Status,
} from './gateway-entries.ts'
import { Gateways, type KnownGateway, type KnownListener } from './gateways.ts'

export interface RouteStatus extends RouteKey {
  readonly status: Status
}

export interface ReconciledGateway {
  /** Undefined: there is no such gateway, and what it had bound goes with it. */
  readonly bound: BoundApiGateway | undefined
  readonly status: Status | undefined
  /** Of all routes that name the gateway, sorted by kind and name. */
  readonly routes: readonly RouteStatus[]
}

/**
 * @param name The name of a gateway. Its routes are told when it is gone.
 * @param now RFC 3339: since when that holds which did not hold before.
 */
export function* reconcileGateway(
  entries: GatewayEntries,
  references: Pick<References, 'referring'>,
  name: string,
  now: string,
): Steps<ReconciledGateway> {
  const keys = [...references.referring('api-gateway', name)].filter(isRoute).sort(byKindAndName)
  entries.expect(keys)
  const pace = new Pace()
  const compiler = new Compiler(entries)
  const gateways = new Gateways(entries)
  const judged: JudgedRoute[] = []
  const routes: RouteStatus[] = []
  for (const key of keys) {
    if (pace.spend(ROUTE_MICROSECONDS)) yield
    const route = yield* judgeRoute(entries, compiler, key.kind, key.name)
    if (!route) continue
    judged.push(route)
    routes.push({ ...key, status: yield* routeStatus(gateways, route, now) })
  }
  const gateway = yield* gateways.get(name)
  if (!gateway) return { bound: undefined, status: undefined, routes }
  const bound = yield* bind(gateway, gateway.accepted ? judged.filter(isAccepted) : [])
  return { bound, status: yield* gatewayStatus(gateway, bound, now), routes }
}

/** What there is to say of one route. Undefined: there is no such route. */
export function* reconcileRoute(entries: GatewayEntries, { kind, name }: RouteKey, now: string): Steps<Status | undefined> {
  const route = yield* judgeRoute(entries, new Compiler(entries), kind, name)
  return route && (yield* routeStatus(new Gateways(entries), route, now))
}

const order = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1)

const byKindAndName = (a: RouteKey, b: RouteKey): number => order(a.kind, b.kind) || order(fold(a.name), fold(b.name))

/** What is done for any route, even if all that it leads to is known. */
const ROUTE_MICROSECONDS = 40

/** To judge a parent or a listener, and to write down what holds for it. */
const CONDITION_MICROSECONDS = 20

function* routeStatus(gateways: Gateways, route: JudgedRoute, now: string): Steps<Status> {
  const pace = new Pace()
  const findings: Finding[] = [route.accepted]
  for (const written of route.entry.Parents ?? []) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    const parent = referenceOf(written, 'api-gateway')
    findings.push(finding('Bound', parent, yield* reasonUnbound(gateways, parent, route), 'the route is bound'))
  }
  return yield* statusOf(findings, route.entry, now)
}

function* gatewayStatus({ entry, accepted, listeners }: KnownGateway, bound: BoundApiGateway, now: string): Steps<Status> {
  const pace = new Pace()
  const against = accepted ? undefined : (['InvalidCertificates', 'certificates of the gateway are missing'] as const)
  const findings = [finding('Accepted', referenceOf(entry, 'api-gateway'), against, 'the gateway is valid')]
  for (const { Name, Routes } of bound.Listeners) {
    if (pace.spend(CONDITION_MICROSECONDS)) yield
    const resource = referenceOf({ Name: entry.Name, SectionName: Name }, 'api-gateway')
    const { listener, missing } = listeners.get(Name) as KnownListener
    findings.push(finding('ResolvedRefs', resource, reasonUnresolved(missing), 'all references are resolved'))
    findings.push(conflictFinding(resource, listener.Protocol === 'tcp' ? Routes.length : 0))
  }
  return yield* statusOf(findings, entry, now)
}

const reasonUnresolved = (missing: readonly ResourceReference[]) =>
  missing.length === 0
    ? undefined
    : (['InvalidCertificateRef', `there is no ${missing.map(({ Kind, Name }) => `${Kind} ${quoted(Name)}`).join(', ')}`] as const)
