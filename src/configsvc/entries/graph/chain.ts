/** The compiled discovery chain of a service. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import type { ChainTarget } from './chain-target.ts'
import { type CompiledNode, Compiler } from './compiler.ts'
import type { GraphEntryReader, ServiceSplit } from './graph-entries.ts'
import type { ResolverGraphNode } from './graph-node.ts'

export interface RouterNode {
  readonly kind: 'router'
  readonly service: string
  /** Keys of `nodes`: the node to which each route leads, followed by the node for requests that match no route. */
  readonly next: readonly string[]
}

export interface SplitterNode {
  readonly kind: 'splitter'
  readonly service: string
  readonly splits: readonly { readonly split: ServiceSplit; readonly next: string }[]
}

export interface ResolverNode {
  readonly kind: 'resolver'
  /** The final target, after redirects and the default subset. */
  readonly target: ChainTarget
  /** The final failover targets, in order. */
  readonly failover: readonly ChainTarget[]
}

export type ChainNode = RouterNode | SplitterNode | ResolverNode

export interface DiscoveryChain {
  readonly service: string
  readonly protocol: string
  /** The first node of the chain, as a key of `nodes`. */
  readonly start: string
  readonly nodes: ReadonlyMap<string, ChainNode>
}

const WAY_MICROSECONDS = 2

/** Compiles the chain of a service. @throws KernelError 400 if entries contradict each other */
export function* compileChain(
  entries: GraphEntryReader,
  service: string,
  compiler = new Compiler(entries),
): Steps<DiscoveryChain> {
  const { resolved: start } = yield* compiler.start(service)
  const protocol = yield* compiler.protocol(service)
  const nodes = new Map<string, ChainNode>()
  const pace = new Pace()
  const left = [start]
  for (let node = left.pop(); node; node = left.pop()) {
    if (nodes.has(keyOf(node))) continue
    if (pace.spend(WAY_MICROSECONDS * (node.next.length + 1))) yield
    const next = node.next.map(({ resolved: rest }) => rest)
    nodes.set(keyOf(node), nodeOf(node, next))
    // A resolver node contains its failover targets, so they need no nodes of their own.
    if (node.node.kind !== 'resolver') left.push(...next)
  }
  return { service, protocol, start: keyOf(start), nodes }
}

const keyOf = ({ node }: CompiledNode): string => node.ref.key

function nodeOf({ node }: CompiledNode, next: readonly CompiledNode[]): ChainNode {
  if (node.kind === 'router') return { kind: 'router', service: node.router.Name, next: next.map(keyOf) }
  if (node.kind === 'resolver')
    return { kind: 'resolver', target: node.target, failover: next.map((spare) => (spare.node as ResolverGraphNode).target) }
  const { Name, Splits = [] } = node.splitter
  return { kind: 'splitter', service: Name, splits: Splits.map((split, i) => ({ split, next: keyOf(next[i] as CompiledNode) })) }
}
