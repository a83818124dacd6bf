/**
 * Finds the reasons why a service cannot be exported to peers. A peer cannot follow a redirect or failover to a target that is not exported
 * to it.
 */
import { quoteText } from '../../../core/hcl/index.ts'
import { type EntryReader, isSameName, type ServiceResolver } from './graph-entries.ts'

export interface ExportObstacle {
  /** The text for error messages. */
  readonly text: string
  /** The services whose entries the text mentions. */
  readonly services: readonly string[]
}

/** The obstacles of a node, including those of the resolvers to which it leads. */
export interface ExportObstacles {
  /** A redirect to another datacenter, peer or partition, or a failover to another datacenter. */
  readonly crossing?: ExportObstacle | undefined
  /** A redirect to another service. */
  readonly leaving?: ExportObstacle | undefined
}

/** Examines all sections of the resolver, even those of subsets that the chain does not use. */
export function crossingOf(resolver: ServiceResolver, here: Pick<EntryReader<object>, 'partition'>): ExportObstacle | undefined {
  const text = crossingText(resolver, here)
  return text === undefined ? undefined : { text, services: [resolver.Name] }
}

function crossingText(
  { Name, Redirect, Failover = {} }: ServiceResolver,
  { partition }: Pick<EntryReader<object>, 'partition'>,
): string | undefined {
  const resolver = `the service-resolver ${quoteText(Name)}`
  if (Redirect?.Datacenter) return `${resolver} redirects to the datacenter ${quoteText(Redirect.Datacenter)}`
  if (Redirect?.Peer) return `${resolver} redirects to the peer ${quoteText(Redirect.Peer)}`
  if (Redirect?.Partition && Redirect.Partition !== partition)
    return `${resolver} redirects to the partition ${quoteText(Redirect.Partition)}`
  for (const section of Object.values(Failover)) {
    const datacenter = section.Datacenters?.[0] ?? section.Targets?.find((target) => target.Datacenter)?.Datacenter
    if (datacenter) return `${resolver} fails over to the datacenter ${quoteText(datacenter)}`
  }
  return undefined
}

export const leavingOf = ({ Name, Redirect }: ServiceResolver): ExportObstacle | undefined =>
  Redirect?.Service && !isSameName(Redirect.Service, Name)
    ? {
        text: `the service-resolver ${quoteText(Name)} redirects to the service ${quoteText(Redirect.Service)}`,
        services: [Name, Redirect.Service],
      }
    : undefined
