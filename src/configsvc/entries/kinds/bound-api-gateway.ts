/** bound-api-gateway: the routes and certificates that an api-gateway serves. Only reconciliation writes it. */
import { gatewayReaders } from '../common/access.ts'
import { checkHasName } from '../common/http-match.ts'
import { references } from '../common/resource-reference.ts'
import { defineKind, type EntryKindName, type EntryReference, type NormalizedEntryOf } from '../kind.ts'
import { list, map, record, text } from '../members/index.ts'

const routes = references({ to: ['http-route', 'tcp-route'] })

const listener = record(
  {
    Name: text(),
    Routes: routes,
    Certificates: references({ to: ['inline-certificate', 'file-system-certificate'], byDefault: 'inline-certificate' }),
  },
  { rule: checkHasName },
)

const members = { Listeners: list(listener), Services: map(routes) }

/** With these references, a change or deletion of a route finds the gateways to which the route is bound. */
function* routesOf({ Listeners = [] }: NormalizedEntryOf<typeof members>): Iterable<EntryReference> {
  for (const { Routes = [] } of Listeners)
    for (const { Kind, Name = '' } of Routes) yield { to: Kind as EntryKindName, name: Name }
}

export const boundApiGateway = defineKind({
  name: 'bound-api-gateway',
  members,
  readers: gatewayReaders,
  writers: () => undefined,
  refersTo: routesOf,
})

export type BoundApiGateway = NormalizedEntryOf<typeof members>
