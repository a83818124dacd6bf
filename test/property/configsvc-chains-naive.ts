/**
 * A naive validator of config entries: it reads all entries, compiles every chain by recursion and caches nothing.
 */
import type { AnyEntry } from '../fixtures/entry-set.ts'

type All = ReadonlyMap<string, AnyEntry>

interface Place {
  readonly service: string
  readonly subset: string
  readonly dc: string
  readonly peer: string
}

interface NaiveChain {
  readonly protocol: string
  readonly starts: 'router' | 'splitter' | 'resolver'
  readonly resolvers: readonly AnyEntry[]
}

const HTTP = ['http', 'http2', 'grpc']

const find = (all: All, kind: string, name: string): AnyEntry | undefined => all.get(`${kind}/${name.toLowerCase()}`)

function protocolOf(all: All, service: string): string {
  const own = find(all, 'service-defaults', service)
  if (own) return own['Protocol'] || 'tcp'
  return find(all, 'proxy-defaults', 'global')?.['Config']?.protocol || 'tcp'
}

class Broken extends Error {}

function chainOf(all: All, service: string): NaiveChain {
  const spoken: string[] = []
  const resolvers: AnyEntry[] = []
  let advanced = false

  const resolve = (place: Place, trail: readonly string[], failover: boolean): void => {
    const seen = JSON.stringify(place)
    if (trail.includes(seen)) throw new Broken('circular redirect')
    if (place.peer) return
    spoken.push(protocolOf(all, place.service))
    const resolver = find(all, 'service-resolver', place.service)
    if (resolver) resolvers.push(resolver)
    const go = (to: AnyEntry | Record<string, string>): Place => {
      const name = (to['Service'] || place.service).toLowerCase()
      const kept = name === place.service && !to['Peer'] ? place.subset : ''
      return {
        service: name,
        subset: to['ServiceSubset'] || kept,
        dc: to['Peer'] ? '' : to['Datacenter'] || place.dc,
        peer: to['Peer'] || '',
      }
    }
    if (resolver?.['Redirect']) {
      const next = go(resolver['Redirect'])
      if (JSON.stringify(next) !== seen) {
        resolve(next, [...trail, seen], failover)
        return
      }
    }
    if (!place.subset && resolver?.['DefaultSubset']) {
      resolve({ ...place, subset: resolver['DefaultSubset'] }, [...trail, seen], failover)
      return
    }
    if (place.subset && !Object.keys(resolver?.['Subsets'] ?? {}).includes(place.subset)) throw new Broken('no such subset')
    if (find(all, 'service-defaults', place.service)?.['ExternalSNI'] && resolver)
      if (resolver['Redirect'] || Object.keys(resolver['Subsets'] ?? {}).length || Object.keys(resolver['Failover'] ?? {}).length)
        throw new Broken('external')
    if (failover) return
    const section = resolver?.['Failover']?.[place.subset || '*'] ?? resolver?.['Failover']?.['*']
    if (!section) return
    const far = section.Targets ?? section.Datacenters?.map((dc: string) => ({ ...section, Datacenter: dc })) ?? [section]
    for (const to of far) {
      const next = go(to)
      if (JSON.stringify(next) !== seen) resolve(next, [], true)
    }
  }

  const target = (name: string, subset = ''): Place => ({ service: name.toLowerCase(), subset, dc: '', peer: '' })

  const split = (name: string, trail: readonly string[]): void => {
    const splitter = find(all, 'service-splitter', name)
    if (!splitter) {
      resolve(target(name), [], false)
      return
    }
    if (trail.includes(name.toLowerCase())) throw new Broken('circular reference')
    advanced = true
    for (const { Service = '', ServiceSubset = '' } of splitter['Splits']) {
      const to = Service || name
      if (ServiceSubset || to.toLowerCase() === name.toLowerCase()) resolve(target(to, ServiceSubset), [], false)
      else split(to, [...trail, name.toLowerCase()])
    }
  }

  const router = find(all, 'service-router', service)
  if (router) {
    advanced = true
    spoken.push(protocolOf(all, service))
    for (const { Destination = {} } of router['Routes']) {
      const to = Destination.Service || service
      if (Destination.ServiceSubset) resolve(target(to, Destination.ServiceSubset), [], false)
      else split(to, [])
    }
  }
  split(service, [])
  if (new Set(spoken).size > 1) throw new Broken('inconsistent protocols')
  const protocol = spoken[0] as string
  if (advanced && !HTTP.includes(protocol)) throw new Broken('advanced routing')
  return {
    protocol,
    starts: router ? 'router' : find(all, 'service-splitter', service) ? 'splitter' : 'resolver',
    resolvers,
  }
}

function validate(all: All, before: All, services: readonly string[], written: ReadonlySet<string>): void {
  const chains = new Map(services.map((service) => [service.toLowerCase(), chainOf(all, service)]))
  const chain = (name: string) => chains.get(name.toLowerCase()) ?? chainOf(all, name)
  const mesh = find(all, 'mesh', 'mesh')
  for (const [key, entry] of all) {
    const { Kind, Name } = entry
    if (Kind === 'ingress-gateway') {
      if (find(all, 'terminating-gateway', Name)) throw new Broken('one name, one gateway')
      for (const { Protocol, Services } of entry['Listeners'])
        for (const { Name: service } of Services) {
          if (service === '*') continue
          const { protocol, starts } = chain(service)
          const tolerated = !written.has(key) && Protocol === 'tcp' && starts === 'resolver'
          if (protocol !== Protocol && !tolerated) throw new Broken('listener')
        }
    }
    if (Kind === 'service-intentions') {
      const permissions = entry['Sources'].flatMap((source: AnyEntry) => source['Permissions'] ?? [])
      if (permissions.length && !HTTP.includes(chain(Name).protocol)) throw new Broken('permissions')
      for (const { JWT } of [entry, ...permissions])
        for (const provider of JWT?.Providers ?? []) if (!find(all, 'jwt-provider', provider.Name)) throw new Broken('provider')
    }
    if (Kind === 'exported-services')
      for (const exported of entry['Services']) {
        if (!exported.Consumers.some((consumer: { Peer?: string }) => consumer.Peer)) continue
        for (const service of exported.Name === '*' ? services : [exported.Name]) {
          const { protocol, resolvers } = chain(service)
          for (const { Name: own, Redirect = {}, Failover = {} } of resolvers) {
            if (Redirect.Datacenter || Redirect.Peer) throw new Broken('export: redirect')
            if (Redirect.Service && Redirect.Service.toLowerCase() !== own.toLowerCase() && !HTTP.includes(protocol))
              throw new Broken('export: another service')
            for (const section of Object.values(Failover) as AnyEntry[])
              if (section['Datacenters']?.length || section['Targets']?.some((to: AnyEntry) => to['Datacenter']))
                throw new Broken('export: failover')
          }
        }
      }
    if (entry['MutualTLSMode'] === 'permissive' && written.has(key))
      if (before.get(key)?.['MutualTLSMode'] !== 'permissive' && !mesh?.['AllowEnablingPermissiveMutualTLS'])
        throw new Broken('permissive')
  }
}

/**
 * Whether the rules allow the change from `before` to `all`.
 * @param services All services that any entry may reference.
 * @param written The keys of the written entries, in lower case.
 */
export function naiveAccepts(all: All, before: All, services: readonly string[], written: ReadonlySet<string>): boolean {
  try {
    validate(all, before, services, written)
    return true
  } catch (error) {
    if (error instanceof Broken) return false
    throw error
  }
}
