/** Decides to which listeners of a gateway a route binds. */
import type { Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { type EvaluatedRoute, isAccepted } from './acceptance.ts'
import type { GatewayListener, ResourceReference, RouteKind } from './gateway-entries.ts'
import type { GatewayLookup, ResolvedGateway } from './gateway-lookup.ts'
import { matchesHost } from './hosts.ts'

const SERVED_BY: Readonly<Record<RouteKind, string>> = { 'http-route': 'http', 'tcp-route': 'tcp' }

/** Whether the listener and the route have the same protocol and a hostname in common. */
export const canBind = ({ kind, hosts }: EvaluatedRoute, { Protocol, Hostname }: GatewayListener): boolean =>
  SERVED_BY[kind] === Protocol && matchesHost(Hostname, hosts)

type Reason = readonly [reason: string, message: string]

/** Returns why a route is not bound to a parent; undefined if it is bound. */
export function* reasonUnbound(
  gateways: GatewayLookup,
  { Name, SectionName }: ResourceReference,
  route: EvaluatedRoute,
): Steps<Reason | undefined> {
  const gateway = yield* gateways.get(Name)
  if (!gateway) return ['GatewayNotFound', `there is no api-gateway ${quoteText(Name)}`]
  const message = messageUnbound(gateway, SectionName, route)
  return message === undefined ? undefined : ['FailedToBind', message]
}

function messageUnbound(
  { entry, accepted, listeners }: ResolvedGateway,
  section: string | undefined,
  route: EvaluatedRoute,
): string | undefined {
  const gateway = `the api-gateway ${quoteText(entry.Name)}`
  if (!accepted) return `${gateway} is not accepted`
  if (!isAccepted(route)) return 'the route is not accepted'
  if (!section)
    return entry.Listeners?.some((listener) => canBind(route, listener))
      ? undefined
      : `no listener of ${gateway} has the protocol of the route and a hostname in common with it`
  const named = listeners.get(section)
  if (!named) return `${gateway} has no listener ${quoteText(section)}`
  return canBind(route, named.listener)
    ? undefined
    : `the listener ${quoteText(section)} has another protocol than the route, or no hostname in common with it`
}
