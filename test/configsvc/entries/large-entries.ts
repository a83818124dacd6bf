/**
 * The largest entries that the service accepts, and the operations to run on them.
 */
import { jsonText } from '../../../src/core/json/json-text.ts'
import type { Answer, ConfigWorld } from '../../fixtures/configsvc.ts'
import { runs } from '../../fixtures/runs.ts'

export const bytes = (body: unknown): Uint8Array => new TextEncoder().encode(jsonText(body as object))

export const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

export const HTTP = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

const ROUTES = runs({ quick: 2500, slow: 3500 })

const router = (count: number) => ({
  Kind: 'service-router',
  Name: 'big',
  Routes: times(count, (at) => ({
    Match: { HTTP: { PathPrefix: `/p${at}`, Header: [{ Name: 'x', Exact: `value-${at}` }] } },
    Destination: { Service: `service-${at}`, RequestTimeout: '3s' },
  })),
})

interface LargeEntry {
  readonly what: string
  readonly make: () => { readonly Kind: string; readonly Name: string }
  /** The minimum number of times that the service yields while it reads and stores the entry. */
  readonly turns: number
}

export const LARGE_ENTRIES: readonly LargeEntry[] = [
  { what: 'a router with many routes, each to another service', make: () => router(ROUTES), turns: ROUTES / 50 },
  {
    what: 'a free map of 9,000 members with every digit kept',
    make: () => ({
      ...HTTP,
      Config: {
        protocol: 'http',
        ...Object.fromEntries(times(9000, (at) => [`k${at}`, { n: 12345678901234567890n, a: 'x'.repeat(12) }])),
      },
    }),
    turns: 20,
  },
  {
    what: 'an entry with one long string',
    make: () => ({ ...HTTP, Config: { protocol: 'http', text: 'x'.repeat(500_000) } }),
    turns: 10,
  },
]

/** The maximum number of elements in a list. If so many would exceed the maximum size of an entry, there are fewer. */
const MAX_ELEMENTS = 10_000

/** For each kind that refers to others, an entry with as many references as allowed, whether or not the service accepts it. */
export const ENTRIES_THAT_NAME_MANY: Readonly<Record<string, () => { readonly Kind: string; readonly Name: string }>> = {
  'exported services': () => ({
    Kind: 'exported-services',
    Name: 'default',
    Services: times(MAX_ELEMENTS, (i) => ({ Name: `n${i}`, Consumers: [{ Peer: 'east' }] })),
  }),
  'listeners, each for another service': () => ({
    Kind: 'ingress-gateway',
    Name: 'front',
    Listeners: times(8500, (i) => ({ Port: i + 1, Protocol: 'tcp', Services: [{ Name: `s${i}` }] })),
  }),
  'listeners for one service': () => ({
    Kind: 'ingress-gateway',
    Name: 'front',
    Listeners: times(9000, (i) => ({ Port: i + 1, Protocol: 'tcp', Services: [{ Name: 'db' }] })),
  }),
  'services of a terminating gateway': () => ({
    Kind: 'terminating-gateway',
    Name: 'exit',
    Services: times(MAX_ELEMENTS, (i) => ({ Name: `n${i}` })),
  }),
  'certificates of a gateway': () => ({
    Kind: 'api-gateway',
    Name: 'gate',
    Listeners: times(5800, (i) => ({
      Name: `l${i}`,
      Port: i + 1,
      Protocol: 'http',
      TLS: { Certificates: [{ Name: `c${i}` }] },
    })),
  }),
  'parents and services of a route': () => ({
    Kind: 'http-route',
    Name: 'route',
    Parents: times(MAX_ELEMENTS, (i) => ({ Name: `g${i}` })),
    Rules: times(MAX_ELEMENTS, (i) => ({ Services: [{ Name: `w${i}` }] })),
  }),
  splits: () => ({
    Kind: 'service-splitter',
    Name: 'web',
    Splits: times(MAX_ELEMENTS, (i) => ({ Weight: 0.01, Service: `w${i}` })),
  }),
  'failover targets': () => ({
    Kind: 'service-resolver',
    Name: 'api',
    Failover: { '*': { Targets: times(MAX_ELEMENTS, (i) => ({ Service: `w${i}` })) } },
  }),
  'subsets with failover': () => ({
    Kind: 'service-resolver',
    Name: 'api',
    Subsets: Object.fromEntries(times(9400, (i) => [`s${i}`, { Filter: 'a == b' }])),
    Failover: Object.fromEntries(times(9400, (i) => [`s${i}`, { Service: `w${i}` }])),
  }),
  'missing providers of intentions': () => ({
    Kind: 'service-intentions',
    Name: 'web',
    JWT: { Providers: times(MAX_ELEMENTS, (i) => ({ Name: `n${i}` })) },
    Sources: [{ Name: 'a', Action: 'allow' }],
  }),
  'sources of intentions': () => ({
    Kind: 'service-intentions',
    Name: 'web',
    Sources: times(MAX_ELEMENTS, (i) => ({ Name: `n${i}`, Action: 'allow' })),
  }),
  upstreams: () => ({
    Kind: 'service-defaults',
    Name: 'web',
    UpstreamConfig: { Overrides: times(MAX_ELEMENTS, (i) => ({ Name: `n${i}` })) },
  }),
}

interface Way {
  readonly name: string
  readonly way: () => Promise<Answer>
}

/** Stores an entry, stores it again, reads and lists it. */
export async function waysOf({ ask }: ConfigWorld, entry: ReturnType<LargeEntry['make']>): Promise<readonly Way[]> {
  await ask('PUT', 'config', HTTP)
  const body = bytes(entry)
  return [
    { name: 'store', way: () => ask('PUT', 'config', body) },
    { name: 'again', way: () => ask('PUT', 'config', body) },
    { name: 'get', way: () => ask('GET', `config/${entry.Kind}/${entry.Name}`) },
    { name: 'list', way: () => ask('GET', `config/${entry.Kind}?filter=${encodeURIComponent('"a" not in Meta')}`) },
  ]
}

/** A chain of redirects, as long as one commit allows. */
export async function redirects({ service }: ConfigWorld, count: number): Promise<void> {
  const all = times(count, (at) => ({
    Kind: 'service-resolver' as const,
    Name: `r${at}`,
    Redirect: { Service: `r${at + 1}` },
  }))
  for (let at = 0; at < count; at += 50) await service.entries.apply(all.slice(at, at + 50))
}
