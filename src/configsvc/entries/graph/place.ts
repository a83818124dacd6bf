/**
 * The places of a chain, each with the places it leads to: a router, a splitter, or a resolver on the way to one target.
 */
import { quoted } from '../../../core/hcl/index.ts'
import { contradiction } from './contradiction.ts'
import { crossingOf, type Findings, leavingOf } from './crossing.ts'
import {
  type Destination,
  type Entries,
  fold,
  type ServiceResolver,
  type ServiceRouter,
  type ServiceSplitter,
  sameName,
} from './entries-read.ts'
import { expectAhead } from './expect-ahead.ts'
import { protocolOf } from './protocol.ts'
import { describe, isAway, moved, type Target, targetKey, targetOf } from './target.ts'

/** Names a place before anything is read for it. */
export type Way =
  | { readonly kind: 'router' | 'splitter'; readonly key: string; readonly service: string }
  | { readonly kind: 'resolver'; readonly key: string; readonly target: Target; readonly spare: boolean }

interface Common extends Findings {
  readonly way: Way
  /** What the place itself adds to the protocol of the chain. */
  readonly protocol: string | undefined
  readonly ways: number
  /** The place that the i-th way leads to, found when it is gone: a list may be long. */
  wayAt(i: number): Way
}

export interface RouterPlace extends Common {
  readonly kind: 'router'
  readonly router: ServiceRouter
}

export interface SplitterPlace extends Common {
  readonly kind: 'splitter'
  readonly splitter: ServiceSplitter
}

export interface ResolverPlace extends Common {
  readonly kind: 'resolver'
  readonly target: Target
  /** The only way leads on to where this is resolved; otherwise it comes to rest here, and the ways are its failover. */
  readonly passing: boolean
}

export type Place = RouterPlace | SplitterPlace | ResolverPlace

/** A resolver's place; `spare` is one that is reached by failover, where no other failover follows. */
export const resolverWay = (target: Target, spare = false): Way => ({
  kind: 'resolver',
  key: `${spare ? 'spare' : 'resolver'} ${targetKey(target)}`,
  target,
  spare,
})

const namedWay = (kind: 'router' | 'splitter', service: string): Way => ({ kind, key: `${kind} ${fold(service)}`, service })

const afterRouter = (entries: Entries, service: string): Way =>
  entries.get('service-splitter', service) ? namedWay('splitter', service) : resolverWay(targetOf(service))

/** Where the chain of a service begins. */
export const startOf = (entries: Entries, service: string): Way =>
  entries.get('service-router', service) ? namedWay('router', service) : afterRouter(entries, service)

export function openPlace(entries: Entries, way: Way): Place {
  if (way.kind === 'resolver') return openResolver(entries, way, way.target, way.spare)
  const { service } = way
  if (way.kind === 'router') return openRouter(entries, way, entries.get('service-router', service) as ServiceRouter)
  return openSplitter(entries, way, entries.get('service-splitter', service) as ServiceSplitter)
}

/** What is read of a service that a chain passes. */
const PASSED = ['service-splitter', 'service-resolver', 'service-defaults'] as const

const expectWays = (entries: Entries, list: readonly Destination[], i: number): void =>
  expectAhead(entries, PASSED, i, (from, to) => list.slice(from, to).map(({ Service }) => Service))

function destinationWay(entries: Entries, service: string, to: Destination, follow: (target: Target) => Way): Way {
  const target = moved(targetOf(service), to, entries)
  return target.subset !== '' || isAway(target) ? resolverWay(target) : follow(target)
}

/** Behind the routes comes one that takes what none of them matches. */
function openRouter(entries: Entries, way: Way, router: ServiceRouter): RouterPlace {
  const destinations = (router.Routes ?? []).map(({ Destination }) => Destination ?? {})
  return {
    kind: 'router',
    way,
    router,
    protocol: protocolOf(entries, router.Name),
    ways: destinations.length + 1,
    wayAt(i) {
      expectWays(entries, destinations, i)
      return destinationWay(entries, router.Name, destinations[i] ?? {}, ({ service }) => afterRouter(entries, service))
    },
  }
}

/** A splitter itself has no protocol: what it leads to has. A split to its own service goes past it. */
function openSplitter(entries: Entries, way: Way, splitter: ServiceSplitter): SplitterPlace {
  const splits = splitter.Splits ?? []
  return {
    kind: 'splitter',
    way,
    splitter,
    protocol: undefined,
    ways: splits.length,
    wayAt(i) {
      expectWays(entries, splits, i)
      return destinationWay(entries, splitter.Name, splits[i] ?? {}, (target) =>
        sameName(target.service, splitter.Name) ? resolverWay(target) : afterRouter(entries, target.service),
      )
    },
  }
}

function openResolver(entries: Entries, way: Way, target: Target, spare: boolean): ResolverPlace {
  const place = { kind: 'resolver', way, target } as const
  if (isAway(target)) return { ...place, protocol: undefined, passing: false, ...leading([], spare) }
  const { service } = target
  const protocol = protocolOf(entries, service)
  const resolver = entries.get('service-resolver', service)
  const found = { ...place, protocol, ...(resolver && { crossing: crossingOf(resolver, entries), leaving: leavingOf(resolver) }) }
  const next = nextTarget(entries, target, resolver)
  if (next) return { ...found, passing: true, ...leading([next], spare) }
  if (target.subset !== '' && !(resolver?.Subsets && Object.hasOwn(resolver.Subsets, target.subset)))
    throw contradiction(`the service ${quoted(service)} does not have a subset named ${quoted(target.subset)}`, [service])
  if (resolver) refuseExternal(entries, target, resolver)
  return { ...found, passing: false, ...leading(spare ? [] : spares(entries, target, resolver), true) }
}

const leading = (targets: readonly Target[], spare: boolean): Pick<Common, 'ways' | 'wayAt'> => ({
  ways: targets.length,
  wayAt: (i) => resolverWay(targets[i] as Target, spare),
})

/** Undefined: the target is where it comes to rest. */
function nextTarget(entries: Entries, target: Target, resolver: ServiceResolver | undefined): Target | undefined {
  const redirected = resolver?.Redirect ? moved(target, resolver.Redirect, entries) : target
  if (targetKey(redirected) !== targetKey(target)) return redirected
  return target.subset === '' && resolver?.DefaultSubset ? { ...target, subset: resolver.DefaultSubset } : undefined
}

/** What is outside of the mesh is one thing under one name: nothing can be chosen there. */
function refuseExternal(entries: Entries, target: Target, { Redirect, Subsets, Failover }: ServiceResolver): void {
  if (!entries.get('service-defaults', target.service)?.ExternalSNI) return
  const defined = Redirect ? 'Redirect' : !isEmpty(Subsets) ? 'Subsets' : !isEmpty(Failover) ? 'Failover' : undefined
  if (defined)
    throw contradiction(
      `${describe(target)} is an external service (ExternalSNI): its service-resolver cannot define ${defined}`,
      [target.service],
    )
}

const isEmpty = (record: object | undefined): boolean => record === undefined || Object.keys(record).length === 0

/** The targets that stand in for one, by the section of its subset or else the one for all. */
function spares(entries: Entries, target: Target, resolver: ServiceResolver | undefined): readonly Target[] {
  const sections = resolver?.Failover ?? {}
  const name = [target.subset, '*'].find((section) => Object.hasOwn(sections, section))
  const section = name === undefined ? undefined : sections[name]
  if (!section) return []
  const { Targets = [], Datacenters = [] } = section
  const destinations =
    Targets.length > 0
      ? Targets
      : Datacenters.length > 0
        ? Datacenters.map((Datacenter) => ({ ...section, Datacenter }))
        : [section]
  const own = targetKey(target)
  return destinations.map((to) => moved(target, to, entries)).filter((spare) => targetKey(spare) !== own)
}
