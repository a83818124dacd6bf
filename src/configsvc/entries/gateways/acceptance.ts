/** Decides whether a route is accepted, regardless of its parents. */
import { KernelError } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { Compiler } from '../graph/compiler.ts'
import { type EntryKey, foldEntryName, listedNames } from '../graph/graph-entries.ts'
import { prefetchAhead } from '../graph/prefetch-ahead.ts'
import { isHttpLike } from '../graph/protocol.ts'
import { type ConditionDraft, conditionDraft } from './conditions.ts'
import type { GatewayEntries, GatewayEntryOf, HttpRoute, RouteKey, TcpRoute } from './gateway-entries.ts'
import { hostsOf, type RouteHosts } from './hosts.ts'

/** The parts of a route that binding uses. */
export interface EvaluatedRoute {
  readonly kind: RouteKey['kind']
  readonly name: string
  readonly entry: HttpRoute | TcpRoute
  readonly accepted: ConditionDraft
  readonly hosts: RouteHosts | undefined
  /** The services that the route leads to, without duplicates. */
  readonly services: readonly string[]
}

export const isAccepted = ({ accepted }: EvaluatedRoute): boolean => accepted.Status === 'True'

/** The properties in which kinds of routes differ. */
const ROUTES: {
  readonly [K in RouteKey['kind']]: {
    readonly services: (route: GatewayEntryOf[K]) => Iterable<string>
    readonly hostnames: (route: GatewayEntryOf[K]) => readonly string[]
    readonly permits: (protocol: string) => boolean
  }
} = {
  'http-route': {
    *services({ Rules = [] }) {
      for (const { Services } of Rules) yield* listedNames(Services)
    },
    hostnames: ({ Hostnames = [] }) => Hostnames,
    permits: isHttpLike,
  },
  'tcp-route': {
    services: ({ Services }) => listedNames(Services),
    hostnames: () => [],
    permits: (protocol) => protocol === 'tcp',
  },
}

export const isRoute = (key: EntryKey): key is RouteKey => Object.hasOwn(ROUTES, key.kind)

/** The kinds of entries that are read for each service of a route. */
const TARGET_KINDS = ['service-router', 'service-splitter', 'service-resolver', 'service-defaults'] as const

const SERVICE_MICROSECONDS = 5

/** Call this before evaluating the routes, so that the entries for all their services are loaded together. */
export function* prefetchTargets(entries: GatewayEntries, keys: readonly RouteKey[]): Steps<void> {
  yield* entries.load(() => entries.prefetch(keys))
  const pace = new Pace()
  const names = new Set<string>()
  for (const key of keys)
    for (const service of servicesOf(entries, key)) {
      if (pace.spend(SERVICE_MICROSECONDS)) yield
      names.add(foldEntryName(service))
    }
  const services = [...names]
  for (const i of services.keys())
    yield* entries.load(() => prefetchAhead(entries, TARGET_KINDS, i, (from, to) => services.slice(from, to)))
}

function servicesOf<K extends RouteKey['kind']>(
  entries: GatewayEntries,
  { kind, name }: { readonly kind: K; readonly name: string },
) {
  const entry = entries.get(kind, name)
  return entry ? ROUTES[kind].services(entry) : []
}

/** Undefined if the route does not exist. */
export function* evaluateRoute<K extends RouteKey['kind']>(
  entries: GatewayEntries,
  compiler: Compiler,
  kind: K,
  name: string,
): Steps<EvaluatedRoute | undefined> {
  const entry = yield* entries.load(() => entries.get(kind, name))
  if (!entry) return undefined
  const names = new Map([...ROUTES[kind].services(entry)].map((service) => [foldEntryName(service), service]))
  const services = [...names.values()]
  const against = yield* reasonRefused(entries, compiler, services, ROUTES[kind].permits)
  const accepted = conditionDraft('Accepted', { Kind: kind, Name: entry.Name }, against, 'the route is valid')
  return { kind, name: entry.Name, entry, accepted, hosts: yield* hostsOf(ROUTES[kind].hostnames(entry)), services }
}

function* reasonRefused(
  entries: GatewayEntries,
  compiler: Compiler,
  services: readonly string[],
  permits: (protocol: string) => boolean,
): Steps<readonly [string, string] | undefined> {
  if (services.length === 0) return ['NoUpstreamServicesTargeted', 'the route leads to no service']
  const pace = new Pace()
  for (const [i, service] of services.entries()) {
    if (pace.spend(1)) yield
    yield* entries.load(() => prefetchAhead(entries, TARGET_KINDS, i, (from, to) => services.slice(from, to)))
    const message = yield* chainProblem(compiler, service, permits)
    if (message) return ['InvalidDiscoveryChain', message]
  }
  return undefined
}

function* chainProblem(compiler: Compiler, service: string, permits: (protocol: string) => boolean): Steps<string | undefined> {
  try {
    const protocol = yield* compiler.protocol(service)
    return permits(protocol)
      ? undefined
      : `the service ${quoteText(service)} has the protocol ${quoteText(protocol)}, which the route does not serve`
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return error.message
    throw error
  }
}
