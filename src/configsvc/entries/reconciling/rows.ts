/**
 * What a change of an entry concerns, by its kind: routes, of which there may be something else to say, or gateways, which may serve
 * something else.
 */
import type { Steps } from '../../../core/base/steps.ts'
import { gatherSteps } from '../../../core/transaction/gather.ts'
import { isRoute } from '../gateways/acceptance.ts'
import type { RouteKey, RouteKind } from '../gateways/gateway-entries.ts'
import { Affected, type Reach } from '../graph/affected.ts'
import type { EntryKey } from '../graph/entries-read.ts'
import type { KindName } from '../kind.ts'
import { entryJob, gatewayJob } from './jobs.ts'
import { type Mesh, NOTHING, type Plan } from './mesh.ts'
import { gatewaysOf, type PartPlan, planRoutes } from './plan-routes.ts'

type Found<K extends KindName> = readonly EntryKey<K>[]

export interface Row<K extends KindName = KindName> {
  /** It concerns nothing where there is no entry of any of these kinds. Empty: there may always be something. */
  readonly among: readonly KindName[]
  /** What is done first of all, before anything that is found. */
  readonly own?: (mesh: Mesh, name: string) => Plan | Steps<Plan>
  readonly find: (mesh: Mesh, name: string) => Found<K> | Steps<Found<K>>
  /** Deals with some of what was found. */
  readonly take: (mesh: Mesh, keys: Found<K>) => PartPlan | Steps<PartPlan>
  /** When all that was found is dealt with, its gateways are told: not before, so that each is made once. */
  readonly thenGateways?: true
}

type ByRoutes = Row<RouteKind>
type ByGateways = Row<'api-gateway'>

const ROUTES = ['http-route', 'tcp-route'] as const

const REFERENCE_MICROSECONDS = 5

/** What is found has this made due. */
const tell =
  (job: (namespace: string, gateway: string) => string): ByGateways['take'] =>
  ({ namespace }, keys) => ({ ...NOTHING, jobs: keys.map(({ name }) => job(namespace, name)), taken: keys.length })

const gatewayKey = (name: string): EntryKey<'api-gateway'> => ({ kind: 'api-gateway', name })

const apiGateway: ByRoutes = {
  among: [],
  own: ({ namespace }, name) => ({ ...NOTHING, jobs: [gatewayJob(namespace, name)] }),
  find: ({ references }, name) => references.referring('api-gateway', name).filter(isRoute),
  take: planRoutes,
}

const route = (kind: RouteKind): ByGateways => ({
  among: [],
  *own(mesh, name) {
    const { writes } = yield* planRoutes(mesh, [{ kind, name }])
    return { ...NOTHING, writes }
  },
  find(mesh, name) {
    const former = mesh.references.referring(kind, name).filter((key) => key.kind === 'bound-api-gateway')
    return [...gatewaysOf(mesh, { kind, name }), ...former.map((key) => key.name)].map(gatewayKey)
  },
  take: tell(gatewayJob),
})

const certificate = (kind: KindName): ByGateways => ({
  among: ['api-gateway'],
  find({ references }, name) {
    const referring = references.referring(kind, name).filter((key) => key.kind === 'api-gateway')
    return referring.map((key) => gatewayKey(key.name))
  },
  take: tell((namespace, gateway) => entryJob(namespace, 'api-gateway', gateway)),
})

/** @param reach Who sees the change beside the service itself. */
const chain = (reach: Reach): ByRoutes => ({
  among: ROUTES,
  *find({ entries, references }, name) {
    const affected = new Affected()
    affected.add(name, reach)
    yield* affected.spread(entries, references)
    const referring = (service: string) => references.referring('service', service)
    return (yield* gatherSteps(affected.services, referring, REFERENCE_MICROSECONDS)).flat().filter(isRoute)
  },
  take: planRoutes,
  thenGateways: true,
})

const everything: ByRoutes = {
  among: ROUTES,
  *find({ references }) {
    const names = yield* gatherSteps(ROUTES, (kind) => references.allOf(kind), REFERENCE_MICROSECONDS)
    return ROUTES.flatMap((kind, i) => (names[i] ?? []).map((name): RouteKey => ({ kind, name })))
  },
  take: planRoutes,
  thenGateways: true,
}

const ROWS = {
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
} as const satisfies Readonly<Partial<Record<KindName, ByRoutes | ByGateways>>>

/** Undefined: no route and no gateway rests on entries of this kind. */
export const rowOf = (kind: string): Row | undefined =>
  // What a row finds it takes, whoever hands it on.
  Object.hasOwn(ROWS, kind) ? (ROWS[kind as keyof typeof ROWS] as unknown as Row) : undefined
