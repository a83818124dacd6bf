/** Gateways with an unrealistic number of listeners, routes, hosts or services. */
import type { GatewayEntries, GatewayEntryOf, RouteKey } from '../../../../../src/configsvc/entries/gateways/gateway-entries.ts'
import { reconcileGateway, reconcileRoutes } from '../../../../../src/configsvc/entries/gateways/reconcile.ts'
import type { Steps } from '../../../../../src/core/base/steps.ts'
import type { AnyEntry } from '../../../../fixtures/entry-set.ts'
import { runs } from '../../../../fixtures/runs.ts'

const MANY = runs({ quick: 2000, slow: 10_000 })

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const parent = { Kind: 'api-gateway', Name: 'gw' }
const route = (i: number, members: object = {}): AnyEntry => ({
  Kind: 'http-route',
  Name: `r${i}`,
  Parents: [parent],
  Rules: [{ Services: [{ Name: 'web' }] }],
  ...members,
})
const gateway = (...listeners: object[]): AnyEntry => ({
  Kind: 'api-gateway',
  Name: 'gw',
  Listeners: listeners.map((listener, i) => ({ Name: `l${i}`, Protocol: 'http', ...listener })),
})

/** Reconciles a gateway and its routes. Calls `onRead` for every entry that it reads. */
export function reconciliations(entries: readonly AnyEntry[], onRead: () => void = () => {}): readonly Steps<unknown>[] {
  const http: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }
  const known = new Map([http, ...entries].map((entry) => [`${entry.Kind}/${entry.Name}`, entry]))
  const set: GatewayEntries = {
    namespace: 'default',
    partition: 'default',
    get: <K extends keyof GatewayEntryOf>(kind: K, name: string) => {
      onRead()
      return known.get(`${kind}/${name}`) as GatewayEntryOf[K] | undefined
    },
    prefetch() {},
    // biome-ignore lint/correctness/useYield: nothing has to be loaded.
    *load<T>(look: () => T): Generator<void, T, void> {
      return look()
    },
  }
  const keys = entries
    .filter(({ Kind }) => Kind === 'http-route')
    .map(({ Name }): RouteKey => ({ kind: 'http-route', name: Name }))
  const now = '2026-11-23T10:00:00Z'
  return [reconcileGateway(set, { referring: () => keys }, 'gw', now), reconcileRoutes(set, keys, now)]
}

/** Each case contains the minimum number of pieces of its work. */
export const MANY_ENTRIES: readonly (readonly [string, number, () => readonly AnyEntry[]])[] = [
  ['many routes of one gateway', MANY / 25, () => [gateway({}), ...many(MANY, (i) => route(i))]],
  [
    'many listeners with a certificate each',
    MANY / 100,
    () => [gateway(...many(MANY, (i) => ({ TLS: { Certificates: [{ Kind: 'inline-certificate', Name: `c${i}` }] } }))), route(0)],
  ],
  [
    'many hosts and as many listeners',
    MANY / 50,
    () => [
      gateway(...many(MANY, (i) => ({ Hostname: `*.l${i}.org` }))),
      route(0, { Hostnames: many(MANY, (i) => `${i}.${'a.'.repeat(40)}com`) }),
    ],
  ],
  [
    'many parents',
    MANY / 300,
    () => [gateway({}), route(0, { Parents: many(MANY, (i) => ({ ...parent, SectionName: `l${i}` })) })],
  ],
  [
    'many services of one route',
    MANY / 60,
    () => [gateway({}), route(0, { Rules: many(MANY, (i) => ({ Services: [{ Name: `s${i}` }] })) })],
  ],
]
