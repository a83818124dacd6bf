/**
 * Entries that are slow to read or to validate.
 */
import { readConfigEntry, validateEntry } from '../../../../src/configsvc/entries/index.ts'
import { runToEnd, type Steps } from '../../../../src/core/base/steps.ts'
import { parseJson } from '../../../../src/core/json/json.ts'
import { jsonText } from '../../../../src/core/json/json-text.ts'
import { runs } from '../../../fixtures/runs.ts'

const MANY = runs({ quick: 2000, slow: 10_000 })
/** One more than a list or object may have. */
const HUGE = runs({ quick: 40_000, slow: 200_000 })
/** A number of characters. */
const LONG = runs({ quick: 400_000, slow: 500_000 })

const times = <T>(count: number, make: (at: number) => T): readonly T[] => Array.from({ length: count }, (_, at) => make(at))

const named = (count: number, make: (at: number) => unknown): object =>
  Object.fromEntries(times(count, (at) => [`s${at}`, make(at)]))

const route = (at: number) => ({
  Match: {
    HTTP: {
      PathPrefix: `/${at}`,
      Header: [{ Name: 'a', Exact: 'b' }],
      QueryParam: [{ Name: 'q', Present: true }],
      Methods: ['get'],
    },
  },
  Destination: {
    Service: `s${at}`,
    PrefixRewrite: '/',
    RequestTimeout: '15s',
    RetryOn: ['5xx'],
    RequestHeaders: { Add: { a: 'b' } },
  },
})

const router = (Routes: unknown) => ({ Kind: 'service-router', Name: 'web', Routes })

const config = (Config: unknown) => ({ Kind: 'proxy-defaults', Name: 'global', Config })

const ingress = (hosts: (at: number) => readonly string[]) => ({
  Kind: 'ingress-gateway',
  Name: 'front',
  Listeners: [{ Port: 80, Protocol: 'http', Services: times(MANY, (at) => ({ Name: `s${at}`, Hosts: hosts(at) })) }],
})

const gateway = (listener: (at: number) => object) => ({ Kind: 'api-gateway', Name: 'gate', Listeners: times(MANY, listener) })

const httpRoute = (Rules: unknown) => ({ Kind: 'http-route', Name: 'route', Rules })

const provider = (JSONWebKeySet: object) => ({ Kind: 'jwt-provider', Name: 'idp', JSONWebKeySet })

const certificate = (PrivateKey: string) => ({ Kind: 'inline-certificate', Name: 'cert', PrivateKey })

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = { a: value }
  return value
}

/** Each case contains the minimum number of pieces for reading and validating its entry. */
export const SLOW_ENTRIES: readonly (readonly [string, number, () => object])[] = [
  ['many routes', MANY / 40, () => router(times(MANY, route))],
  [
    'many splits',
    MANY / 200,
    () => ({ Kind: 'service-splitter', Name: 'web', Splits: times(MANY, (at) => ({ Weight: 100 / MANY, Service: `s${at}` })) }),
  ],
  [
    'many subsets, their filters and failovers',
    MANY / 25,
    () => ({
      Kind: 'service-resolver',
      Name: 'web',
      Subsets: named(MANY, (at) => ({ Filter: `Service.Meta.version == v${at}${' and a == b'.repeat(20)}` })),
      Failover: named(MANY, (at) => ({ Targets: [{ Service: `s${at}` }, { Peer: 'east' }] })),
    }),
  ],
  [
    'many sources',
    MANY / 80,
    () => ({
      Kind: 'service-intentions',
      Name: 'web',
      Sources: times(MANY, (at) => ({ Name: `s${at}`, Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }] })),
    }),
  ],
  [
    'lists in lists',
    100,
    () => router(times(100, () => ({ Match: { HTTP: { Header: times(400, () => ({ Name: 'a', Exact: 'b' })) } } }))),
  ],
  ['many services of a gateway, and their hosts', MANY / 120, () => ingress((at) => [`h${at}.example`, `*.h${at}.example`])],
  ['many listeners', MANY / 200, () => gateway((at) => ({ Name: `l${at}`, Port: at + 1, Protocol: 'http' }))],
  [
    'many rules of a route',
    MANY / 50,
    () =>
      httpRoute(
        times(MANY, (at) => ({
          Matches: [{ Path: { Match: 'prefix', Value: `/${at}` }, Headers: [{ Match: 'present', Name: 'a' }] }],
          Filters: { TimeoutFilter: { RequestTimeout: '15s' } },
          Services: [{ Name: `s${at}` }],
        })),
      ),
  ],
  [
    'many exported services',
    MANY / 120,
    () => ({
      Kind: 'exported-services',
      Name: 'default',
      Services: times(MANY, (at) => ({ Name: `s${at}`, Consumers: [{ Peer: 'east' }, { Peer: 'west' }] })),
    }),
  ],
  ['long keys of a provider', 2, () => provider({ Local: { JWKS: 'e30K'.repeat(262_144) } })],
  ['a large free map', 10, () => config({ a: times(9000, (at) => ({ at, list: [1, 2, 3] })) })],
  ['a long string', 2, () => config({ a: 'x'.repeat(LONG) })],
  [
    'a long log format',
    HUGE / 10_000,
    () => ({ ...config({}), AccessLogs: { JSONFormat: JSON.stringify(times(HUGE, (at) => at)) } }),
  ],
]

export const REFUSED_ENTRIES: readonly (readonly [string, number, () => object])[] = [
  ['more routes than the maximum', 1, () => router(times(HUGE, () => ({})))],
  ['an unknown member in each route', MANY / 1000, () => router(times(MANY, (at) => ({ [`x${at}`]: 1 })))],
  ['very many unknown members', 1, () => ({ ...router([]), ...named(HUGE, () => 1) })],
  ['a free map with very many members', 1, () => config(named(HUGE, () => 1))],
  ['a deep free map', 1, () => config(nested(5000))],
  [
    'a deeply nested value of a member that is not supported',
    1,
    () => ({ Kind: 'service-defaults', Name: 'web', RateLimits: nested(5000) }),
  ],
  [
    'one destination repeated many times',
    MANY / 200,
    () => ({ Kind: 'service-splitter', Name: 'web', Splits: times(MANY, () => ({ Weight: 0.01 })) }),
  ],
  ['a long protocol', 1, () => ({ Kind: 'service-defaults', Name: 'web', Protocol: 'X'.repeat(LONG) })],
  ['a long duration', 1, () => ({ Kind: 'service-resolver', Name: 'web', ConnectTimeout: '1h'.repeat(LONG / 2) })],
  ['a long name', 1, () => ({ Kind: 'service-resolver', Name: 'x'.repeat(LONG) })],
  [
    'a long address',
    1,
    () => ({ Kind: 'service-defaults', Name: 'web', Destination: { Port: 1, Addresses: ['a.'.repeat(LONG / 2)] } }),
  ],
  ['one host for many services', MANY / 150, () => ingress(() => ['a.example'])],
  ['one listener repeated many times', MANY / 200, () => gateway(() => ({ Name: 'main', Port: 1, Protocol: 'http' }))],
  ['a long name of a listener', MANY / 500, () => gateway(() => ({ Name: `${'a'.repeat(200)}-`, Port: 1, Protocol: 'http' }))],
  ['one parent repeated many times', MANY / 300, () => ({ ...httpRoute([]), Parents: times(MANY, () => ({ Name: 'gate' })) })],
  ['a long URI', 1, () => provider({ Remote: { URI: `${'a'.repeat(LONG)} ` } })],
  ['long keys that are not base64', 1, () => provider({ Local: { JWKS: `${'e30K'.repeat(LONG / 4)}!` } })],
  ['a long private key', 1, () => certificate('-----BEGIN A-----\n'.repeat(HUGE))],
  ['a private key whose PEM blocks do not end', 1, () => certificate('-----BEGIN A-----\n'.repeat(7000))],
  ['very many PEM blocks without a private key', 1, () => certificate('-----BEGIN A-----\nAAAA\n-----END A-----\n'.repeat(3000))],
  ['a long weight', 1, () => ({ Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: '1'.repeat(LONG) }] })],
]

export function* readAndValidate(body: unknown): Steps<void> {
  const entry = yield* readConfigEntry(body)
  yield
  yield* validateEntry(entry)
}

/** Parses an entry like a request body, because the parser does not return plain objects for very large ones. */
export const parsed = (body: object): unknown => runToEnd(parseJson(new TextEncoder().encode(jsonText(body))))
