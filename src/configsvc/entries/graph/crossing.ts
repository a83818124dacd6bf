/**
 * What keeps a service from being exported to peers: its resolution may not cross the border of what the peer was shown.
 */
import { quoted } from '../../../core/hcl/index.ts'
import { type EntriesOf, type ServiceResolver, sameName } from './entries-read.ts'

/** Both in words; the resolvers behind a place count for it. */
export interface Findings {
  /** A redirect or failover across a border. */
  readonly crossing?: string | undefined
  /** A redirect to another service. */
  readonly leaving?: string | undefined
}

/** A resolver is judged whole, whichever of its subsets is asked for. */
export function crossingOf(
  { Name, Redirect, Failover = {} }: ServiceResolver,
  { partition }: Pick<EntriesOf<object>, 'partition'>,
): string | undefined {
  const resolver = `the service-resolver ${quoted(Name)}`
  if (Redirect?.Datacenter) return `${resolver} redirects to the datacenter ${quoted(Redirect.Datacenter)}`
  if (Redirect?.Peer) return `${resolver} redirects to the peer ${quoted(Redirect.Peer)}`
  if (Redirect?.Partition && Redirect.Partition !== partition)
    return `${resolver} redirects to the partition ${quoted(Redirect.Partition)}`
  for (const section of Object.values(Failover)) {
    const datacenter = section.Datacenters?.[0] ?? section.Targets?.find((target) => target.Datacenter)?.Datacenter
    if (datacenter) return `${resolver} fails over to the datacenter ${quoted(datacenter)}`
  }
  return undefined
}

export const leavingOf = ({ Name, Redirect }: ServiceResolver): string | undefined =>
  Redirect?.Service && !sameName(Redirect.Service, Name)
    ? `the service-resolver ${quoted(Name)} redirects to the service ${quoted(Redirect.Service)}`
    : undefined
