/**
 * Makes the entry that says what a gateway serves.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { fold, sameName } from '../graph/entries-read.ts'
import type { JudgedRoute } from './acceptance.ts'
import { fits } from './binding.ts'
import type { BoundApiGateway, BoundListener, ResourceReference } from './gateway-entries.ts'
import type { KnownGateway } from './gateways.ts'

interface Candidate {
  readonly route: JudgedRoute
  readonly reference: ResourceReference
  /** The listeners it wants; an empty name is all of them. */
  readonly sections: ReadonlySet<string>
}

const FIT_MICROSECONDS = 2

/** @param routes The accepted ones, in their order; none where the gateway is not accepted. */
export function* bind({ entry, listeners: known }: KnownGateway, routes: readonly JudgedRoute[]): Steps<BoundApiGateway> {
  const pace = new Pace()
  const candidates = routes.map((route): Candidate => candidateOf(route, entry.Name))
  const bound = new Set<Candidate>()
  const listeners: BoundListener[] = []
  for (const [name, { listener, certificates }] of known) {
    const here: ResourceReference[] = []
    for (const candidate of candidates) {
      if (pace.spend(FIT_MICROSECONDS)) yield
      const { route, reference, sections } = candidate
      if (!(sections.has('') || sections.has(name)) || !fits(route, listener)) continue
      here.push(reference)
      bound.add(candidate)
    }
    listeners.push({ Name: name, Routes: here, Certificates: certificates })
  }
  const inOrder = candidates.filter((candidate) => bound.has(candidate))
  return { Kind: 'bound-api-gateway', Name: entry.Name, Listeners: listeners, Services: servicesOf(inOrder) }
}

const candidateOf = (route: JudgedRoute, gateway: string): Candidate => ({
  route,
  reference: { Kind: route.kind, Name: route.name },
  sections: new Set(
    (route.entry.Parents ?? []).flatMap(({ Name = '', SectionName = '' }) => (sameName(Name, gateway) ? SectionName : [])),
  ),
})

/** Sorted by the names of services. */
function servicesOf(bound: readonly Candidate[]): BoundApiGateway['Services'] {
  const services = new Map<string, { readonly name: string; readonly routes: ResourceReference[] }>()
  for (const { route, reference } of bound)
    for (const name of route.services) {
      const known = services.get(fold(name))
      if (known) known.routes.push(reference)
      else services.set(fold(name), { name, routes: [reference] })
    }
  const sorted = [...services].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([, { name, routes }]) => [name, routes]))
}
