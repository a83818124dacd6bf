/**
 * Compiles discovery chains. Each node is compiled once and shared by all chains that contain it, so the cost depends on the number of
 * nodes and not on the number of chains.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { describeTarget } from './chain-target.ts'
import { type Contradiction, contradiction } from './contradiction.ts'
import type { ExportObstacle, ExportObstacles } from './export-obstacles.ts'
import { foldEntryName, type GraphEntryReader } from './graph-entries.ts'
import { type GraphNode, loadNode, type NodeRef, startRef } from './graph-node.ts'
import { isHttpLike, protocolOf } from './protocol.ts'

const NODE_MICROSECONDS = 25

/** The maximum number of nodes of a cycle that are listed in an error message. */
const MAX_NODES_SHOWN = 16

/** A protocol, and the service that it was taken from. */
interface ServiceProtocol {
  readonly protocol: string
  readonly service: string
}

/** A node and all nodes reachable from it. */
export interface CompiledNode extends ExportObstacles {
  readonly node: GraphNode
  /** Undefined if all edges lead to services whose protocol is not known. */
  readonly serviceProtocol: ServiceProtocol | undefined
  /** One node for each edge. */
  readonly next: readonly CompiledNode[]
  /** For a resolver, the node at which its redirects end; for other nodes, the node itself. */
  readonly resolved: CompiledNode
}

interface OpenNode extends CompiledNode {
  readonly next: CompiledNode[]
  serviceProtocol: ServiceProtocol | undefined
  crossing: ExportObstacle | undefined
  leaving: ExportObstacle | undefined
  resolved: CompiledNode
}

export class Compiler {
  readonly #entries: GraphEntryReader
  readonly #starts = new Map<string, CompiledNode>()
  readonly #compiled = new Map<string, CompiledNode>()
  readonly #pace = new Pace()

  constructor(entries: GraphEntryReader) {
    this.#entries = entries
  }

  /** Returns the first node of a service's chain. @throws KernelError 400 if entries contradict each other */
  *start(service: string): Steps<CompiledNode> {
    const known = this.#starts.get(foldEntryName(service))
    if (known) return known
    const start = yield* this.#compile(yield* this.#load(() => startRef(this.#entries, service)))
    yield* this.#load(() => this.#checkProtocol(service, start))
    this.#starts.set(foldEntryName(service), start)
    return start
  }

  #load<T>(look: () => T): Steps<T> {
    return this.#entries.load(look)
  }

  #checkProtocol(service: string, start: CompiledNode): void {
    if (start.node.kind === 'resolver') return
    const { protocol, service: speaker } = this.#protocolOf(service, start)
    if (!isHttpLike(protocol))
      throw contradiction(
        `${chainOf(service)}: ${protocolText(protocol, speaker)}, a protocol that does not permit advanced routing or splitting; http, http2 and grpc do`,
        [service, speaker],
      )
  }

  /** Returns the protocol of a service's chain. @throws KernelError 400 as {@link start} */
  *protocol(service: string): Steps<string> {
    const start = yield* this.start(service)
    return yield* this.#load(() => this.#protocolOf(service, start).protocol)
  }

  /** If the whole chain leads to services whose protocol is not known, the protocol of the service itself is used. */
  #protocolOf(service: string, { serviceProtocol: found }: CompiledNode): ServiceProtocol {
    return found ?? { protocol: protocolOf(this.#entries, service), service }
  }

  /** A depth-first search without recursion, because users decide how long a chain is. */
  *#compile(start: NodeRef): Steps<CompiledNode> {
    const known = this.#compiled.get(start.key)
    if (known) return known
    const path: OpenNode[] = [yield* this.#load(() => this.#open(start))]
    const onPath = new Set([start.key])
    for (let top = path.at(-1) as OpenNode; ; top = path.at(-1) as OpenNode) {
      if (this.#pace.spend(NODE_MICROSECONDS)) yield
      const { node, next } = top
      if (next.length < node.edgeCount) {
        const ref = yield* this.#load(() => node.edgeAt(next.length))
        const child = this.#compiled.get(ref.key)
        if (child) join(top, child, start)
        else {
          if (onPath.has(ref.key)) throw circular(path, ref)
          path.push(yield* this.#load(() => this.#open(ref)))
          onPath.add(ref.key)
        }
        continue
      }
      this.#compiled.set(node.ref.key, top)
      onPath.delete(node.ref.key)
      path.pop()
      const above = path.at(-1)
      if (!above) return top
      join(above, top, start)
    }
  }

  #open(ref: NodeRef): OpenNode {
    const node = loadNode(this.#entries, ref)
    const found = node.protocol === undefined ? undefined : { protocol: node.protocol, service: serviceOf(ref) }
    const opened = { node, next: [], serviceProtocol: found, crossing: node.crossing, leaving: node.leaving } as Omit<
      OpenNode,
      'resolved'
    > as OpenNode
    opened.resolved = opened
    return opened
  }
}

const serviceOf = (ref: NodeRef): string => (ref.kind === 'resolver' ? ref.target.service : ref.service)

const chainOf = (service: string): string => `the discovery chain of the service ${quoteText(service)}`

const protocolText = (protocol: string, service: string): string =>
  `the service ${quoteText(service)} speaks ${quoteText(protocol)}`

/** Adds `child`, the compiled node to which the next edge of `opened` leads. */
function join(opened: OpenNode, child: CompiledNode, start: NodeRef): void {
  const { serviceProtocol: found } = child
  if (opened.serviceProtocol && found && opened.serviceProtocol.protocol !== found.protocol)
    throw contradiction(
      `${chainOf(serviceOf(start))} has inconsistent protocols: ${protocolText(opened.serviceProtocol.protocol, opened.serviceProtocol.service)}, ${protocolText(found.protocol, found.service)}`,
      [serviceOf(start), opened.serviceProtocol.service, found.service],
    )
  opened.serviceProtocol ??= found
  opened.crossing ??= child.crossing
  opened.leaving ??= child.leaving
  opened.next.push(child)
  if (opened.node.kind === 'resolver' && opened.node.redirects) opened.resolved = child.resolved
}

function circular(path: readonly OpenNode[], ref: NodeRef): Contradiction {
  const from = path.findIndex(({ node }) => node.ref.key === ref.key)
  const ways = [...path.slice(from).map(({ node }) => node.ref), ref]
  const circle = ways.map((passed) => (passed.kind === 'resolver' ? describeTarget(passed.target) : quoteText(passed.service)))
  const shown =
    circle.length > MAX_NODES_SHOWN
      ? [...circle.slice(0, MAX_NODES_SHOWN - 2), `... ${circle.length - MAX_NODES_SHOWN + 1} more`, ...circle.slice(-1)]
      : circle
  const what = ref.kind === 'resolver' ? 'service-resolvers: circular redirect' : 'service-splitters: circular reference'
  return contradiction(`${what}: ${shown.join(' -> ')}`, ways.map(serviceOf))
}
