/**
 * Entries made to be slow: whatever their size, nobody else waits long.
 */
import { describe, expect, it } from 'vitest'
import { judgeEntry, readEntry } from '../../../../src/configsvc/entries/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { finish, type Steps } from '../../../../src/core/base/steps.ts'
import { parseJson } from '../../../../src/core/json/json.ts'
import { jsonText } from '../../../../src/core/json/json-text.ts'
import { MEASURED } from '../../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../../fixtures/slowness.ts'

const MANY = 10_000

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

const ACCEPTED: readonly (readonly [string, () => object])[] = [
  ['10,000 routes', () => router(times(MANY, route))],
  [
    '10,000 splits',
    () => ({ Kind: 'service-splitter', Name: 'web', Splits: times(MANY, (at) => ({ Weight: 0.01, Service: `s${at}` })) }),
  ],
  [
    '10,000 subsets, their filters and failovers',
    () => ({
      Kind: 'service-resolver',
      Name: 'web',
      Subsets: named(MANY, (at) => ({ Filter: `Service.Meta.version == v${at}${' and a == b'.repeat(20)}` })),
      Failover: named(MANY, (at) => ({ Targets: [{ Service: `s${at}` }, { Peer: 'east' }] })),
    }),
  ],
  [
    '10,000 sources',
    () => ({
      Kind: 'service-intentions',
      Name: 'web',
      Sources: times(MANY, (at) => ({ Name: `s${at}`, Permissions: [{ Action: 'allow', HTTP: { PathPrefix: '/' } }] })),
    }),
  ],
  [
    'lists in lists',
    () => router(times(100, () => ({ Match: { HTTP: { Header: times(400, () => ({ Name: 'a', Exact: 'b' })) } } }))),
  ],
  ['10,000 services of a gateway, and their hosts', () => ingress((at) => [`h${at}.example`, `*.h${at}.example`])],
  ['10,000 listeners', () => gateway((at) => ({ Name: `l${at}`, Port: at + 1, Protocol: 'http' }))],
  [
    '10,000 rules of a route',
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
    '10,000 services that are exported',
    () => ({
      Kind: 'exported-services',
      Name: 'default',
      Services: times(MANY, (at) => ({ Name: `s${at}`, Consumers: [{ Peer: 'east' }, { Peer: 'west' }] })),
    }),
  ],
  ['long keys of a provider', () => provider({ Local: { JWKS: 'e30K'.repeat(262_144) } })],
  ['a large free map', () => config({ a: times(9000, (at) => ({ at, list: [1, 2, 3] })) })],
  ['a long text', () => config({ a: 'x'.repeat(4_000_000) })],
  ['a long format of a log', () => ({ ...config({}), AccessLogs: { JSONFormat: JSON.stringify(times(200_000, (at) => at)) } })],
]

const REFUSED: readonly (readonly [string, () => object])[] = [
  ['more routes than are taken', () => router(times(200_000, () => ({})))],
  ['a strange member in each route', () => router(times(MANY, (at) => ({ [`x${at}`]: 1 })))],
  ['very many strange members', () => ({ ...router([]), ...named(200_000, () => 1) })],
  ['a free map of very many members', () => config(named(200_000, () => 1))],
  ['a deep free map', () => config(nested(5000))],
  ['a deep value where none is taken', () => ({ Kind: 'service-defaults', Name: 'web', RateLimits: nested(5000) })],
  [
    'one destination many times',
    () => ({ Kind: 'service-splitter', Name: 'web', Splits: times(MANY, () => ({ Weight: 0.01 })) }),
  ],
  ['a long protocol', () => ({ Kind: 'service-defaults', Name: 'web', Protocol: 'X'.repeat(4_000_000) })],
  ['a long duration', () => ({ Kind: 'service-resolver', Name: 'web', ConnectTimeout: '1h'.repeat(2_000_000) })],
  ['a long name', () => ({ Kind: 'service-resolver', Name: 'x'.repeat(4_000_000) })],
  [
    'a long address',
    () => ({ Kind: 'service-defaults', Name: 'web', Destination: { Port: 1, Addresses: ['a.'.repeat(2_000_000)] } }),
  ],
  ['a host of 10,000 services', () => ingress(() => ['a.example'])],
  ['one listener many times', () => gateway(() => ({ Name: 'main', Port: 1, Protocol: 'http' }))],
  ['a long name of a listener', () => gateway(() => ({ Name: `${'a'.repeat(200)}-`, Port: 1, Protocol: 'http' }))],
  ['one parent many times', () => ({ ...httpRoute([]), Parents: times(MANY, () => ({ Name: 'gate' })) })],
  ['a long URI', () => provider({ Remote: { URI: `${'a'.repeat(4_000_000)} ` } })],
  ['long keys that are no base64', () => provider({ Local: { JWKS: `${'e30K'.repeat(1_000_000)}!` } })],
  ['a long private key', () => certificate('-----BEGIN A-----\n'.repeat(200_000))],
  ['a private key that never ends', () => certificate('-----BEGIN A-----\n'.repeat(7000))],
  ['very many blocks and no private key', () => certificate('-----BEGIN A-----\nAAAA\n-----END A-----\n'.repeat(3000))],
  ['a long weight', () => ({ Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: '1'.repeat(4_000_000) }] })],
]

/** Processor milliseconds of the longest step, and whether the entry was accepted. */
function longestStep(steps: Steps<unknown>): { readonly longest: number; readonly accepted: boolean } {
  let longest = 0
  for (;;) {
    const start = process.cpuUsage()
    let step: ReturnType<typeof steps.next> | undefined
    try {
      step = steps.next()
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError)
    }
    longest = Math.max(longest, process.cpuUsage(start).user / 1000)
    if (!step || step.done) return { longest, accepted: step !== undefined }
  }
}

function* readAndJudge(body: unknown): Steps<void> {
  const entry = yield* readEntry(body)
  yield
  yield* judgeEntry(entry)
}

/** As a body comes: very large objects are no plain ones. */
const parsed = (body: object): unknown => finish(parseJson(new TextEncoder().encode(jsonText(body))))

describe('entries made to be slow', () => {
  it.each(ACCEPTED)('let others go first: %s', MEASURED, (_, make) => {
    expect(longestStep(readAndJudge(parsed(make())))).toEqual({ longest: expect.toSatisfy(isShort), accepted: true })
  })

  it.each(REFUSED)('are refused without delay: %s', MEASURED, (_, make) => {
    expect(longestStep(readAndJudge(parsed(make())))).toEqual({ longest: expect.toSatisfy(isShort), accepted: false })
  })
})

const isShort = (milliseconds: number): boolean => milliseconds < LONGEST_STRETCH_MS
