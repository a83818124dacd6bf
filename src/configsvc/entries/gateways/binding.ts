/**
 * Which listeners of a gateway a route binds to.
 */
import { quoted } from '../../../core/hcl/index.ts'
import { fold } from '../graph/entries-read.ts'
import { certificatesOf, isAccepted, type JudgedRoute } from './acceptance.ts'
import type { ApiGateway, GatewayEntries, GatewayListener, HttpRoute, ResourceReference, RouteKind } from './gateway-entries.ts'

export interface KnownGateway {
  readonly entry: ApiGateway
  /** All certificates of its listeners are there. */
  readonly accepted: boolean
  readonly listeners: ReadonlyMap<string, GatewayListener>
}

/** Gateways, each looked up once: many routes have the same parent. */
export class Gateways {
  readonly #entries: GatewayEntries
  readonly #known = new Map<string, KnownGateway | undefined>()

  constructor(entries: GatewayEntries) {
    this.#entries = entries
  }

  get(name: string): KnownGateway | undefined {
    const key = fold(name)
    if (!this.#known.has(key)) this.#known.set(key, this.#look(name))
    return this.#known.get(key)
  }

  #look(name: string): KnownGateway | undefined {
    const entry = this.#entries.get('api-gateway', name)
    if (!entry) return undefined
    const accepted = entry.Listeners.every((listener) => certificatesOf(this.#entries, listener).missing.length === 0)
    return { entry, accepted, listeners: new Map(entry.Listeners.map((listener) => [listener.Name, listener])) }
  }
}

const SERVED_BY: Readonly<Record<RouteKind, string>> = { 'http-route': 'http', 'tcp-route': 'tcp' }

/** Whether a listener is for requests to one of these hosts; a route that names none is for all. */
function servesHost({ Hostname = '' }: GatewayListener, hostnames: readonly string[]): boolean {
  const listens = Hostname.toLowerCase()
  if (listens === '' || listens === '*' || hostnames.length === 0) return true
  if (!listens.startsWith('*.')) return hostnames.some((host) => host.toLowerCase() === listens)
  const suffix = listens.slice(1)
  return hostnames.some((host) => host.length > suffix.length && host.toLowerCase().endsWith(suffix))
}

/** Whether protocol and hosts of listener and route go together. */
export const fits = ({ kind, entry }: JudgedRoute, listener: GatewayListener): boolean =>
  SERVED_BY[kind] === listener.Protocol && servesHost(listener, (entry as HttpRoute).Hostnames ?? [])

type Reason = readonly [reason: string, message: string]

/** Why a route is not bound by one of its parents. */
export function reasonUnbound(
  gateways: Gateways,
  { Name, SectionName }: ResourceReference,
  route: JudgedRoute,
): Reason | undefined {
  const gateway = gateways.get(Name)
  if (!gateway) return ['GatewayNotFound', `there is no api-gateway ${quoted(Name)}`]
  if (!gateway.accepted) return ['FailedToBind', `the api-gateway ${quoted(Name)} is not accepted`]
  if (!isAccepted(route)) return ['FailedToBind', 'the route is not accepted']
  if (!SectionName) {
    const bound = gateway.entry.Listeners.some((listener) => fits(route, listener))
    return bound
      ? undefined
      : ['FailedToBind', `no listener of the api-gateway ${quoted(Name)} has the protocol and a hostname of the route`]
  }
  const listener = gateway.listeners.get(SectionName)
  if (!listener) return ['FailedToBind', `the api-gateway ${quoted(Name)} has no listener ${quoted(SectionName)}`]
  return fits(route, listener)
    ? undefined
    : ['FailedToBind', `the listener ${quoted(SectionName)} does not have the protocol or a hostname of the route`]
}
