/** Computes the bound-api-gateway entry, which lists what a gateway serves. */
import { KernelError } from '../../../core/base/errors.ts'
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { foldEntryName, isSameName } from '../graph/graph-entries.ts'
import type { EvaluatedRoute } from './acceptance.ts'
import { canBind } from './binding.ts'
import type { BoundApiGateway, BoundListener, ResourceReference } from './gateway-entries.ts'
import type { ResolvedGateway } from './gateway-lookup.ts'

interface Candidate {
  readonly route: EvaluatedRoute
  readonly reference: ResourceReference
  /** The listeners that the route names; an empty name means all listeners. */
  readonly sections: ReadonlySet<string>
}

const FIT_MICROSECONDS = 2

const CANDIDATE_MICROSECONDS = 5

/** The maximum number of pairs of a listener and a route that are compared for one gateway. */
const MAX_LISTENER_ROUTE_PAIRS = 2_000_000

/** The maximum number of matching pairs, which the entry lists individually. */
const MAX_BOUND_PAIRS = 50_000

/**
 * @param routes The accepted routes in their order; empty if the gateway itself is not accepted.
 * @throws KernelError 413 if the entry would be too large to contain all bound routes.
 */
export function* bindRoutes(
  { entry, listeners: known }: ResolvedGateway,
  routes: readonly EvaluatedRoute[],
): Steps<BoundApiGateway> {
  if (known.size * routes.length > MAX_LISTENER_ROUTE_PAIRS) throw tooMany(entry.Name)
  const pace = new Pace()
  let count = 0
  const candidates: Candidate[] = []
  for (const route of routes) {
    if (pace.spend(CANDIDATE_MICROSECONDS)) yield
    candidates.push(candidateOf(route, entry.Name))
  }
  const bound = new Set<Candidate>()
  const listeners: BoundListener[] = []
  for (const [name, { listener, certificates }] of known) {
    const here: ResourceReference[] = []
    for (const candidate of candidates) {
      if (pace.spend(FIT_MICROSECONDS)) yield
      const { route, reference, sections } = candidate
      if (!(sections.has('') || sections.has(name)) || !canBind(route, listener)) continue
      if (++count > MAX_BOUND_PAIRS) throw tooMany(entry.Name)
      here.push(reference)
      bound.add(candidate)
    }
    listeners.push({ Name: name, Routes: here, Certificates: certificates })
  }
  yield
  const inOrder = candidates.filter((candidate) => bound.has(candidate))
  return { Kind: 'bound-api-gateway', Name: entry.Name, Listeners: listeners, Services: yield* servicesOf(inOrder) }
}

const tooMany = (gateway: string): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `the api-gateway ${quoteText(gateway)} has too many listeners and routes to be bound`)

const candidateOf = (route: EvaluatedRoute, gateway: string): Candidate => ({
  route,
  reference: { Kind: route.kind, Name: route.name },
  sections: new Set(
    (route.entry.Parents ?? []).flatMap(({ Name = '', SectionName = '' }) => (isSameName(Name, gateway) ? SectionName : [])),
  ),
})

/** The routes that lead to each service, sorted by service name. */
function* servicesOf(bound: readonly Candidate[]): Steps<BoundApiGateway['Services']> {
  const pace = new Pace()
  const services = new Map<string, { readonly name: string; readonly routes: ResourceReference[] }>()
  for (const { route, reference } of bound)
    for (const name of route.services) {
      if (pace.spend(CANDIDATE_MICROSECONDS)) yield
      const known = services.get(foldEntryName(name))
      if (known) known.routes.push(reference)
      else services.set(foldEntryName(name), { name, routes: [reference] })
    }
  const sorted = yield* sortSteps([...services], ([folded]) => folded)
  return Object.fromEntries(sorted.map(([, { name, routes }]) => [name, routes]))
}
