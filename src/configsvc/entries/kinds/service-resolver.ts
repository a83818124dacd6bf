/** service-resolver: which instances belong to a service and its subsets, and to which destinations its requests are redirected or fail over. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Pace, Steps } from '../../../core/base/steps.ts'
import { parseExpression } from '../../expression/index.ts'
import { checkExclusive, checkRequires, presentMembers } from '../common/alternatives.ts'
import { LOAD_BALANCER } from '../common/load-balancer.ts'
import { chainAccess, isOwnService, type RelatedService } from '../common/related-services.ts'
import { defineKind, type EntryType, type NormalizedEntryOf } from '../kind.ts'
import {
  bool,
  duration,
  keepZero,
  list,
  type MapOf,
  map,
  notNegative,
  quotedValue,
  type RecordOf,
  record,
  text,
  unsupported,
} from '../members/index.ts'
import { nameOfOther, WILDCARD } from '../names.ts'

const SUBSET_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The estimated cost of parsing one character of a filter. */
const CHARACTER_MICROSECONDS = 0.5

/** Only the syntax is validated, because the filter applies to the instances of the service, which are not known here. */
function* checkFilter(filter: string, path: string, pace: Pace): Steps<void> {
  if (pace.spend(filter.length * CHARACTER_MICROSECONDS)) yield
  try {
    parseExpression(filter)
  } catch (error) {
    throw error instanceof KernelError ? invalid(`${path}: ${error.message}`) : error
  }
}

const subset = record({ Filter: text({ rule: checkFilter }), OnlyPassing: bool() })

function checkSubsetNames(subsets: MapOf<unknown>, path: string): void {
  for (const name of Object.keys(subsets))
    if (!SUBSET_NAME.test(name))
      throw invalid(
        `${path}: the name of a subset must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end, not ${quotedValue(name)}`,
      )
}

const DESTINATION_MEMBERS = {
  Service: nameOfOther(),
  ServiceSubset: text(),
  Namespace: text(),
  Partition: text(),
  Datacenter: text(),
  Peer: text(),
}

const redirect = record(
  { ...DESTINATION_MEMBERS, SamenessGroup: unsupported() },
  {
    rule: (value, path) => {
      if (Object.keys(value).length === 0) throw invalid(`${path}: must have a destination`)
      checkExclusive(value, 'Peer', ['ServiceSubset', 'Partition', 'Datacenter'], path)
      checkRequires(value, ['ServiceSubset', 'Namespace', 'Partition', 'Peer'], 'Service', path)
    },
  },
)

const target = record(DESTINATION_MEMBERS, {
  rule: (value, path) => {
    checkExclusive(value, 'Peer', ['ServiceSubset', 'Partition', 'Datacenter'], path)
    checkExclusive(value, 'Partition', ['Datacenter'], path)
  },
})

const datacenter = text({
  rule: (name, path) => {
    if (name === '') throw invalid(`${path}: must not be empty`)
  },
})

const FAILOVER = {
  Service: nameOfOther(),
  ServiceSubset: text(),
  Namespace: text(),
  Datacenters: list(datacenter),
  Targets: list(target),
  Policy: unsupported(),
  SamenessGroup: unsupported(),
}

const FAILOVER_DESTINATIONS = ['Service', 'ServiceSubset', 'Namespace', 'Targets', 'Datacenters']

type Failover = RecordOf<typeof FAILOVER>

const failover = record(FAILOVER, {
  rule: (value, path) => {
    if (presentMembers(value, FAILOVER_DESTINATIONS).length === 0)
      throw invalid(`${path}: must have one of ${FAILOVER_DESTINATIONS.join(', ')}`)
    checkExclusive(value, 'Targets', ['Datacenters', 'ServiceSubset', 'Service'], path)
  },
})

const members = {
  DefaultSubset: text(),
  Subsets: map(subset, checkSubsetNames),
  Redirect: keepZero(redirect),
  Failover: map(failover),
  ConnectTimeout: duration({ rule: notNegative }),
  RequestTimeout: duration({ rule: notNegative }),
  LoadBalancer: LOAD_BALANCER,
  PrioritizeByLocality: unsupported(),
}

type Resolver = NormalizedEntryOf<typeof members>

const hasSubset = ({ Subsets = {} }: Resolver, name: string): boolean => Object.hasOwn(Subsets, name)

/** Validates only subsets of the service itself; subsets of other services are validated in `graph/`. */
function checkOwnSubset(entry: Resolver, { Service, ServiceSubset }: RecordOf<typeof DESTINATION_MEMBERS>, path: string): void {
  if (ServiceSubset === undefined || !isOwnService(entry, Service) || hasSubset(entry, ServiceSubset)) return
  throw invalid(`${path}.ServiceSubset: the service has no subset ${quotedValue(ServiceSubset)}`)
}

function checkResolver(entry: Resolver): void {
  const { DefaultSubset, Redirect, Failover = {} } = entry
  if (DefaultSubset !== undefined && !hasSubset(entry, DefaultSubset))
    throw invalid(`DefaultSubset: the service has no subset ${quotedValue(DefaultSubset)}`)
  if (Redirect && entry.Failover) throw invalid('Redirect: must not be given together with Failover')
  if (Redirect) checkOwnSubset(entry, Redirect, 'Redirect')
  for (const [name, value] of Object.entries(Failover)) {
    if (name !== WILDCARD && !hasSubset(entry, name))
      throw invalid(`Failover: must be for "*" or a subset of the service; the service has no subset ${quotedValue(name)}`)
    checkFailoverSubsets(entry, value, `Failover[${quotedValue(name)}]`)
  }
}

function checkFailoverSubsets(entry: Resolver, value: Failover, path: string): void {
  checkOwnSubset(entry, value, path)
  for (const [index, place] of (value.Targets ?? []).entries())
    if (place.Peer === undefined) checkOwnSubset(entry, place, `${path}.Targets[${index}]`)
}

/** Services of a peer are not part of this mesh, so they do not count as references. */
function* related({ Name, Redirect, Failover = {} }: Resolver): Iterable<RelatedService> {
  const named = ({ Service, Namespace }: { readonly Service?: string | undefined; readonly Namespace?: string | undefined }) => ({
    name: Service || Name,
    namespace: Namespace,
  })
  if (Redirect?.Service) yield named(Redirect)
  for (const section of Object.values(Failover)) {
    if (!section.Targets) yield named(section)
    for (const place of section.Targets ?? []) if (!place.Peer) yield named(place)
  }
}

export const serviceResolver = defineKind({ name: 'service-resolver', members, rule: checkResolver, ...chainAccess(related) })

export type ServiceResolver = EntryType<typeof serviceResolver>
