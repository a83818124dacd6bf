/**
 * bound-api-gateway: what an api-gateway serves, as its controller found out (configsvc.md 6.11). Nobody else writes it.
 */
import { gatewayReaders } from '../common/access.ts'
import { checkNamed } from '../common/http-match.ts'
import { references } from '../common/resource-reference.ts'
import { type EntryType, kind } from '../kind.ts'
import { list, map, record, text } from '../members/index.ts'

const routes = references({ to: ['http-route', 'tcp-route'] })

const listener = record(
  {
    Name: text(),
    Routes: routes,
    Certificates: references({ to: ['inline-certificate', 'file-system-certificate'], byDefault: 'inline-certificate' }),
  },
  { rule: checkNamed },
)

export const boundApiGateway = kind({
  name: 'bound-api-gateway',
  members: { Listeners: list(listener), Services: map(routes) },
  readers: gatewayReaders,
  writers: () => undefined,
})

export type BoundApiGateway = EntryType<typeof boundApiGateway>
