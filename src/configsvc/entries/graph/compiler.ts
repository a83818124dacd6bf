/** Compiles discovery chains. Chains share nodes, and each node is compiled once, so many chains cost only what their nodes cost. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { describeTarget } from './chain-target.ts'
import { type Contradiction, contradiction } from './contradiction.ts'
import type { ExportObstacle, ExportObstacles } from './export-obstacles.ts'
import { foldEntryName, type GraphEntryReader } from './graph-entries.ts'
import { type GraphNode, loadNode, type NodeRef, startRef } from './graph-node.ts'
import { isHttpLike, protocolOf } from './protocol.ts'

const NODE_MICROSECONDS = 25

/** The most nodes of a cycle that an error message lists. */
const MAX_NODES_SHOWN = 16

/** A protocol and a service that has it. */
interface ServiceProtocol {
  readonly protocol: string
  readonly service: string
}

/** A node with everything that it leads to. */
export interface CompiledNode extends ExportObstacles {
  readonly node: GraphNode
  /** Undefined if all edges lead to services of unknown protocol. */
  readonly serviceProtocol: ServiceProtocol | undefined
  /** One node per edge. */
  readonly next: readonly CompiledNode[]
  /** For a resolver, the node where redirects end; otherwise the node itself. */
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

  /** The first node of a service's chain. @throws KernelError 400 if entries contradict each other */
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

  /** The protocol of a service's chain. @throws KernelError 400 as {@link start} */
  *protocol(service: string): Steps<string> {
    const start = yield* this.start(service)
    return yield* this.#load(() => this.#protocolOf(service, start).protocol)
  }

  /** If the whole chain leads to unknown services, the service's own protocol counts. */
  #protocolOf(service: string, { serviceProtocol: spoken }: CompiledNode): ServiceProtocol {
    return spoken ?? { protocol: protocolOf(this.#entries, service), service }
  }

  /** Depth first without recursion, because users decide how long a chain is. */
  *#compile(start: NodeRef): Steps<CompiledNode> {
    const known = this.#compiled.get(start.key)
    if (known) return known
    const path: OpenNode[] = [yield* this.#load(() => this.#open(start))]
    const onPath = new Set([start.key])
    for (let top = path.at(-1) as OpenNode; ; top = path.at(-1) as OpenNode) {
      if (this.#pace.spend(NODE_MICROSECONDS)) yield
      const { node: place, next } = top
      if (next.length < place.edgeCount) {
        const way = yield* this.#load(() => place.edgeAt(next.length))
        const behind = this.#compiled.get(way.key)
        if (behind) join(top, behind, start)
        else {
          if (onPath.has(way.key)) throw circular(path, way)
          path.push(yield* this.#load(() => this.#open(way)))
          onPath.add(way.key)
        }
        continue
      }
      this.#compiled.set(place.ref.key, top)
      onPath.delete(place.ref.key)
      path.pop()
      const above = path.at(-1)
      if (!above) return top
      join(above, top, start)
    }
  }

  #open(way: NodeRef): OpenNode {
    const place = loadNode(this.#entries, way)
    const spoken = place.protocol === undefined ? undefined : { protocol: place.protocol, service: serviceOf(way) }
    const opened = { node: place, next: [], serviceProtocol: spoken, crossing: place.crossing, leaving: place.leaving } as Omit<
      OpenNode,
      'resolved'
    > as OpenNode
    opened.resolved = opened
    return opened
  }
}

const serviceOf = (way: NodeRef): string => (way.kind === 'resolver' ? way.target.service : way.service)

const chainOf = (service: string): string => `the discovery chain of the service ${quoteText(service)}`

const protocolText = (protocol: string, service: string): string =>
  `the service ${quoteText(service)} speaks ${quoteText(protocol)}`

/** Adds the compiled node of the next edge. */
function join(opened: OpenNode, behind: CompiledNode, start: NodeRef): void {
  const { serviceProtocol: spoken } = behind
  if (opened.serviceProtocol && spoken && opened.serviceProtocol.protocol !== spoken.protocol)
    throw contradiction(
      `${chainOf(serviceOf(start))} has inconsistent protocols: ${protocolText(opened.serviceProtocol.protocol, opened.serviceProtocol.service)}, ${protocolText(spoken.protocol, spoken.service)}`,
      [serviceOf(start), opened.serviceProtocol.service, spoken.service],
    )
  opened.serviceProtocol ??= spoken
  opened.crossing ??= behind.crossing
  opened.leaving ??= behind.leaving
  opened.next.push(behind)
  if (opened.node.kind === 'resolver' && opened.node.redirects) opened.resolved = behind.resolved
}

function circular(path: readonly OpenNode[], way: NodeRef): Contradiction {
  const from = path.findIndex(({ node: place }) => place.ref.key === way.key)
  const ways = [...path.slice(from).map(({ node: place }) => place.ref), way]
  const circle = ways.map((passed) => (passed.kind === 'resolver' ? describeTarget(passed.target) : quoteText(passed.service)))
  const shown =
    circle.length > MAX_NODES_SHOWN
      ? [...circle.slice(0, MAX_NODES_SHOWN - 2), `... ${circle.length - MAX_NODES_SHOWN + 1} more`, ...circle.slice(-1)]
      : circle
  const what = way.kind === 'resolver' ? 'service-resolvers: circular redirect' : 'service-splitters: circular reference'
  return contradiction(`${what}: ${shown.join(' -> ')}`, ways.map(serviceOf))
}
