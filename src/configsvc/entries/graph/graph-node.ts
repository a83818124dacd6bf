/** The nodes of a discovery chain and their edges: a router, a splitter, or a resolver for one target. */
import { quoteText } from '../../../core/hcl/index.ts'
import {
  type ChainTarget,
  describeTarget,
  isRemoteTarget,
  resolveDestination,
  targetKey,
  targetOfService,
} from './chain-target.ts'
import { contradiction } from './contradiction.ts'
import { crossingOf, type ExportObstacles, leavingOf } from './export-obstacles.ts'
import {
  type ChainDestination,
  foldEntryName,
  type GraphEntryReader,
  isSameName,
  type ServiceResolver,
  type ServiceRouter,
  type ServiceSplitter,
} from './graph-entries.ts'
import { prefetchAhead } from './prefetch-ahead.ts'
import { protocolOf } from './protocol.ts'

/** Identifies a node without reading its entries. */
export type NodeRef =
  | { readonly kind: 'router' | 'splitter'; readonly key: string; readonly service: string }
  | { readonly kind: 'resolver'; readonly key: string; readonly target: ChainTarget; readonly spare: boolean }

interface NodeBase extends ExportObstacles {
  readonly ref: NodeRef
  /** The protocol that this node, apart from the nodes it leads to, requires of the chain; undefined if it requires none. */
  readonly protocol: string | undefined
  readonly edgeCount: number
  /** Returns the node at the end of an edge. Computed on demand, because the list of edges may be long. */
  edgeAt(i: number): NodeRef
}

export interface RouterGraphNode extends NodeBase {
  readonly kind: 'router'
  readonly router: ServiceRouter
}

export interface SplitterGraphNode extends NodeBase {
  readonly kind: 'splitter'
  readonly splitter: ServiceSplitter
}

export interface ResolverGraphNode extends NodeBase {
  readonly kind: 'resolver'
  readonly target: ChainTarget
  /** True if the only edge leads to the target of a redirect. Otherwise resolution ends here, and all edges lead to failover targets. */
  readonly redirects: boolean
}

export type GraphNode = RouterGraphNode | SplitterGraphNode | ResolverGraphNode

/** A resolver. `spare` means that it is reached by failover, so it has no failover targets itself. */
export const resolverRef = (target: ChainTarget, spare = false): NodeRef => ({
  kind: 'resolver',
  key: `${spare ? 'spare' : 'resolver'} ${targetKey(target)}`,
  target,
  spare,
})

const serviceRef = (kind: 'router' | 'splitter', service: string): NodeRef => ({
  kind,
  key: `${kind} ${foldEntryName(service)}`,
  service,
})

const afterRouter = (entries: GraphEntryReader, service: string): NodeRef =>
  entries.get('service-splitter', service) ? serviceRef('splitter', service) : resolverRef(targetOfService(service))

/** The first node of a service's chain. */
export const startRef = (entries: GraphEntryReader, service: string): NodeRef =>
  entries.get('service-router', service) ? serviceRef('router', service) : afterRouter(entries, service)

export function loadNode(entries: GraphEntryReader, ref: NodeRef): GraphNode {
  if (ref.kind === 'resolver') return loadResolver(entries, ref, ref.target, ref.spare)
  const { service } = ref
  if (ref.kind === 'router') return loadRouter(entries, ref, entries.get('service-router', service) as ServiceRouter)
  return loadSplitter(entries, ref, entries.get('service-splitter', service) as ServiceSplitter)
}

/** The kinds of entries that are read for each service in the chain. */
const PASSED_KINDS = ['service-splitter', 'service-resolver', 'service-defaults'] as const

const prefetchDestinations = (entries: GraphEntryReader, list: readonly ChainDestination[], i: number): void =>
  prefetchAhead(entries, PASSED_KINDS, i, (from, to) => list.slice(from, to).map(({ Service }) => Service))

function destinationRef(
  entries: GraphEntryReader,
  service: string,
  to: ChainDestination,
  follow: (target: ChainTarget) => NodeRef,
): NodeRef {
  const target = resolveDestination(targetOfService(service), to, entries)
  return target.subset !== '' || isRemoteTarget(target) ? resolverRef(target) : follow(target)
}

/** The last edge is for requests that match no route. */
function loadRouter(entries: GraphEntryReader, ref: NodeRef, router: ServiceRouter): RouterGraphNode {
  const destinations = (router.Routes ?? []).map(({ Destination }) => Destination ?? {})
  return {
    kind: 'router',
    ref,
    router,
    protocol: protocolOf(entries, router.Name),
    edgeCount: destinations.length + 1,
    edgeAt(i) {
      prefetchDestinations(entries, destinations, i)
      return destinationRef(entries, router.Name, destinations[i] ?? {}, ({ service }) => afterRouter(entries, service))
    },
  }
}

/**
 * A splitter requires no protocol; its destinations do. A split to the splitter's own service leads to the resolver and not back to the
 * splitter.
 */
function loadSplitter(entries: GraphEntryReader, ref: NodeRef, splitter: ServiceSplitter): SplitterGraphNode {
  const splits = splitter.Splits ?? []
  return {
    kind: 'splitter',
    ref,
    splitter,
    protocol: undefined,
    edgeCount: splits.length,
    edgeAt(i) {
      prefetchDestinations(entries, splits, i)
      return destinationRef(entries, splitter.Name, splits[i] ?? {}, (target) =>
        isSameName(target.service, splitter.Name) ? resolverRef(target) : afterRouter(entries, target.service),
      )
    },
  }
}

function loadResolver(entries: GraphEntryReader, ref: NodeRef, target: ChainTarget, spare: boolean): ResolverGraphNode {
  const node = { kind: 'resolver', ref, target } as const
  if (isRemoteTarget(target)) return { ...node, protocol: undefined, redirects: false, ...edgesTo([], spare) }
  const { service } = target
  const protocol = protocolOf(entries, service)
  const resolver = entries.get('service-resolver', service)
  const found = { ...node, protocol, ...(resolver && { crossing: crossingOf(resolver, entries), leaving: leavingOf(resolver) }) }
  const next = nextTarget(entries, target, resolver)
  if (next) return { ...found, redirects: true, ...edgesTo([next], spare) }
  if (target.subset !== '' && !(resolver?.Subsets && Object.hasOwn(resolver.Subsets, target.subset)))
    throw contradiction(`the service ${quoteText(service)} does not have a subset named ${quoteText(target.subset)}`, [service])
  if (resolver) refuseExternal(entries, target, resolver)
  return { ...found, redirects: false, ...edgesTo(spare ? [] : failoverTargets(entries, target, resolver), true) }
}

const edgesTo = (targets: readonly ChainTarget[], spare: boolean): Pick<NodeBase, 'edgeCount' | 'edgeAt'> => ({
  edgeCount: targets.length,
  edgeAt: (i) => resolverRef(targets[i] as ChainTarget, spare),
})

/** Undefined if resolution ends at this target. */
function nextTarget(
  entries: GraphEntryReader,
  target: ChainTarget,
  resolver: ServiceResolver | undefined,
): ChainTarget | undefined {
  const redirected = resolver?.Redirect ? resolveDestination(target, resolver.Redirect, entries) : target
  if (targetKey(redirected) !== targetKey(target)) return redirected
  return target.subset === '' && resolver?.DefaultSubset ? { ...target, subset: resolver.DefaultSubset } : undefined
}

/** An external service has no redirect, subsets or failover, because it is a single name outside of the mesh. */
function refuseExternal(entries: GraphEntryReader, target: ChainTarget, { Redirect, Subsets, Failover }: ServiceResolver): void {
  if (!entries.get('service-defaults', target.service)?.ExternalSNI) return
  const defined = Redirect ? 'Redirect' : !isEmpty(Subsets) ? 'Subsets' : !isEmpty(Failover) ? 'Failover' : undefined
  if (defined)
    throw contradiction(
      `${describeTarget(target)} is an external service (ExternalSNI): its service-resolver cannot define ${defined}`,
      [target.service],
    )
}

const isEmpty = (record: object | undefined): boolean => record === undefined || Object.keys(record).length === 0

/** The failover targets from the section of the target's subset, or else from the section `*`. */
function failoverTargets(
  entries: GraphEntryReader,
  target: ChainTarget,
  resolver: ServiceResolver | undefined,
): readonly ChainTarget[] {
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
  return destinations.map((to) => resolveDestination(target, to, entries)).filter((spare) => targetKey(spare) !== own)
}
