import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { Compiler } from './compiler.ts'
import { contradiction } from './contradiction.ts'
import { type GraphEntryReader, type IngressGateway, listedNames } from './graph-entries.ts'
import { prefetchAhead } from './prefetch-ahead.ts'

/** The kinds of entries that are read for each service of a listener. */
const SERVED_KINDS = ['service-router', 'service-splitter', 'service-resolver', 'service-defaults'] as const

const SERVICE_MICROSECONDS = 5

/**
 * Validates that services have the protocol of their listener.
 * @param concerns Decides which services are checked.
 * @param strict Whether the gateway itself is being written. Otherwise, a service whose protocol is no longer tcp may stay on a tcp
 * listener, unless its chain contains routes or splits.
 */
export function* validateIngress(
  entries: GraphEntryReader,
  compiler: Compiler,
  { Name, Listeners = [] }: IngressGateway,
  concerns: (service: string) => boolean,
  strict: boolean,
): Steps<void> {
  const pace = new Pace()
  for (const { Port, Protocol, Services } of Listeners) {
    const listens = Protocol?.toLowerCase() || 'tcp'
    const services = listedNames(Services).filter((service) => service !== '*' && concerns(service))
    for (const [i, service] of services.entries()) {
      if (pace.spend(SERVICE_MICROSECONDS)) yield
      yield* entries.load(() => prefetchAhead(entries, SERVED_KINDS, i, (from, to) => services.slice(from, to)))
      const protocol = yield* compiler.protocol(service)
      if (protocol === listens) continue
      if (!strict && listens === 'tcp' && (yield* compiler.start(service)).node.kind === 'resolver') continue
      throw contradiction(
        `the ingress-gateway ${quoteText(Name)}: the service ${quoteText(service)} has the protocol ${quoteText(protocol)}, but the listener on port ${Port ?? 0} has the protocol ${quoteText(listens)}`,
        [Name, service],
      )
    }
  }
}
