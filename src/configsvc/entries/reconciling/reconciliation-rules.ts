/** The effects of a changed entry, by its kind: on routes, whose Status may change, or on gateways, whose served routes may change. */
import type { Steps } from '../../../core/base/steps.ts'
import { loadAllSteps } from '../../../core/transaction/load-all.ts'
import { isRoute } from '../gateways/acceptance.ts'
import type { RouteKey, RouteKind } from '../gateways/gateway-entries.ts'
import { AffectedServices, type Reach } from '../graph/affected.ts'
import type { EntryKey } from '../graph/graph-entries.ts'
import type { EntryKindName } from '../kind.ts'
import { entryJob, gatewayJob } from './jobs.ts'
import { gatewaysOf, type PartialPlan, planRoutes } from './plan-routes.ts'
import { EMPTY_PLAN, type ReconciliationContext, type ReconciliationPlan } from './reconciliation-context.ts'

type FoundEntries<K extends EntryKindName> = readonly EntryKey<K>[]

export interface ReconciliationRule<K extends EntryKindName = EntryKindName> {
  /** The entry has no effect unless entries of one of these kinds exist. Empty: it may always have an effect. */
  readonly requiredKinds: readonly EntryKindName[]
  /** Called once, before the affected entries are handled. */
  readonly before?: (mesh: ReconciliationContext, name: string) => ReconciliationPlan | Steps<ReconciliationPlan>
  readonly findAffected: (mesh: ReconciliationContext, name: string) => FoundEntries<K> | Steps<FoundEntries<K>>
  /** Handles some of the affected entries. */
  readonly process: (mesh: ReconciliationContext, keys: FoundEntries<K>) => PartialPlan | Steps<PartialPlan>
  /** Schedules gateways only after all affected routes were handled, so that each gateway is computed once. */
  readonly thenGateways?: true
}

type RouteRule = ReconciliationRule<RouteKind>
type GatewayRule = ReconciliationRule<'api-gateway'>

const ROUTES = ['http-route', 'tcp-route'] as const

const REFERENCE_MICROSECONDS = 5

/** Handles affected gateways by scheduling a job for each of them. */
const schedule =
  (job: (namespace: string, gateway: string) => string): GatewayRule['process'] =>
  ({ namespace }, keys) => ({ ...EMPTY_PLAN, jobs: keys.map(({ name }) => job(namespace, name)), taken: keys.length })

const gatewayKey = (name: string): EntryKey<'api-gateway'> => ({ kind: 'api-gateway', name })

const apiGateway: RouteRule = {
  requiredKinds: [],
  before: ({ namespace }, name) => ({ ...EMPTY_PLAN, jobs: [gatewayJob(namespace, name)] }),
  findAffected: ({ references }, name) => references.referring('api-gateway', name).filter(isRoute),
  process: planRoutes,
}

const route = (kind: RouteKind): GatewayRule => ({
  requiredKinds: [],
  *before(mesh, name) {
    const { writes } = yield* planRoutes(mesh, [{ kind, name }])
    return { ...EMPTY_PLAN, writes }
  },
  findAffected(mesh, name) {
    const former = mesh.references.referring(kind, name).filter((key) => key.kind === 'bound-api-gateway')
    return [...gatewaysOf(mesh, { kind, name }), ...former.map((key) => key.name)].map(gatewayKey)
  },
  process: schedule(gatewayJob),
})

const certificate = (kind: EntryKindName): GatewayRule => ({
  requiredKinds: ['api-gateway'],
  findAffected({ references }, name) {
    const referring = references.referring(kind, name).filter((key) => key.kind === 'api-gateway')
    return referring.map((key) => gatewayKey(key.name))
  },
  process: schedule((namespace, gateway) => entryJob(namespace, 'api-gateway', gateway)),
})

/** @param reach Which entries are affected in addition to those that name the service. */
const chain = (reach: Reach): RouteRule => ({
  requiredKinds: ROUTES,
  *findAffected({ entries, references }, name) {
    const affected = new AffectedServices()
    affected.add(name, reach)
    yield* affected.propagate(entries, references)
    const referring = (service: string) => references.referring('service', service)
    return (yield* loadAllSteps(affected.services, referring, REFERENCE_MICROSECONDS)).flat().filter(isRoute)
  },
  process: planRoutes,
  thenGateways: true,
})

const everything: RouteRule = {
  requiredKinds: ROUTES,
  *findAffected({ references }) {
    const names = yield* loadAllSteps(ROUTES, (kind) => references.namesOfKind(kind), REFERENCE_MICROSECONDS)
    return ROUTES.flatMap((kind, i) => (names[i] ?? []).map((name): RouteKey => ({ kind, name })))
  },
  process: planRoutes,
  thenGateways: true,
}

const RECONCILIATION_RULES = {
  'api-gateway': apiGateway,
  'http-route': route('http-route'),
  'tcp-route': route('tcp-route'),
  'inline-certificate': certificate('inline-certificate'),
  'file-system-certificate': certificate('file-system-certificate'),
  'service-defaults': chain('all'),
  'service-router': chain('listeners'),
  'service-splitter': chain('all'),
  'service-resolver': chain('all'),
  'proxy-defaults': everything,
} as const satisfies Readonly<Partial<Record<EntryKindName, RouteRule | GatewayRule>>>

/** Returns undefined if no route and no gateway depends on entries of this kind. */
export const reconciliationRuleOf = (kind: string): ReconciliationRule | undefined =>
  // The cast is safe, because `process` gets only entries that `findAffected` of the same rule has found.
  Object.hasOwn(RECONCILIATION_RULES, kind)
    ? (RECONCILIATION_RULES[kind as keyof typeof RECONCILIATION_RULES] as unknown as ReconciliationRule)
    : undefined
