/** Gateways and routes as nobody would write them. */
import { describe, expect, it } from 'vitest'
import type { GatewayEntries, GatewayEntryOf, RouteKey } from '../../../../../src/configsvc/entries/gateways/gateway-entries.ts'
import { reconcileGateway, reconcileRoutes } from '../../../../../src/configsvc/entries/gateways/reconcile.ts'
import type { Steps } from '../../../../../src/core/base/steps.ts'
import type { AnyEntry } from '../../../../fixtures/entry-set.ts'
import { MEASURED } from '../../../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../../../fixtures/slowness.ts'

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

/** In milliseconds of the processor. */
function longestPiece(steps: Steps<unknown>): number {
  for (let most = 0; ; ) {
    const start = process.cpuUsage()
    const { done } = steps.next()
    most = Math.max(most, process.cpuUsage(start).user / 1000)
    if (done) return most
  }
}

/** The longest piece of what there is to do for a gateway and its routes. */
function longest(...entries: readonly AnyEntry[]): number {
  const http: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }
  const known = new Map([http, ...entries].map((entry) => [`${entry.Kind}/${entry.Name}`, entry]))
  const set: GatewayEntries = {
    namespace: 'default',
    partition: 'default',
    get: <K extends keyof GatewayEntryOf>(kind: K, name: string) => known.get(`${kind}/${name}`) as GatewayEntryOf[K] | undefined,
    expect() {},
    // biome-ignore lint/correctness/useYield: nothing has to be loaded.
    *loaded<T>(look: () => T): Generator<void, T, void> {
      return look()
    },
  }
  const keys = entries
    .filter(({ Kind }) => Kind === 'http-route')
    .map(({ Name }): RouteKey => ({ kind: 'http-route', name: Name }))
  const now = '2026-11-23T10:00:00Z'
  const works: readonly Steps<unknown>[] = [
    reconcileGateway(set, { referring: () => keys }, 'gw', now),
    reconcileRoutes(set, keys, now),
  ]
  return Math.max(...works.map(longestPiece))
}

describe('reconciling gives way', () => {
  it.each<[string, () => readonly AnyEntry[]]>([
    ['10,000 routes of one gateway', () => [gateway({}), ...many(10_000, (i) => route(i))]],
    [
      '10,000 listeners with a certificate each',
      () => [
        gateway(...many(10_000, (i) => ({ TLS: { Certificates: [{ Kind: 'inline-certificate', Name: `c${i}` }] } }))),
        route(0),
      ],
    ],
    [
      '10,000 hosts and as many listeners',
      () => [
        gateway(...many(10_000, (i) => ({ Hostname: `*.l${i}.org` }))),
        route(0, { Hostnames: many(10_000, (i) => `${i}.${'a.'.repeat(40)}com`) }),
      ],
    ],
    ['10,000 parents', () => [gateway({}), route(0, { Parents: many(10_000, (i) => ({ ...parent, SectionName: `l${i}` })) })]],
    [
      '10,000 services of one route',
      () => [gateway({}), route(0, { Rules: many(10_000, (i) => ({ Services: [{ Name: `s${i}` }] })) })],
    ],
  ])('with %s', MEASURED, (_what, entries) => expect(longest(...entries())).toBeLessThan(LONGEST_STRETCH_MS))
})
