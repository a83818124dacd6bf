import { describe, expect, it } from 'vitest'
import { compileChain, type DiscoveryChain } from '../../../../../src/configsvc/entries/graph/chain.ts'
import { flattenSplits } from '../../../../../src/configsvc/entries/graph/flatten.ts'
import { protocolOf } from '../../../../../src/configsvc/entries/graph/protocol.ts'
import { runToEnd } from '../../../../../src/core/base/steps.ts'
import { type AnyEntry, EntrySet } from '../../../../fixtures/entry-set.ts'

const HTTP: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

const speaks = (Name: string, Protocol: string, ExternalSNI = ''): AnyEntry => ({
  Kind: 'service-defaults',
  Name,
  Protocol,
  ExternalSNI,
})
const resolver = (Name: string, members: object): AnyEntry => ({ Kind: 'service-resolver', Name, ...members })
const splitter = (Name: string, ...Splits: object[]): AnyEntry => ({ Kind: 'service-splitter', Name, Splits })
const router = (Name: string, ...destinations: object[]): AnyEntry => ({
  Kind: 'service-router',
  Name,
  Routes: destinations.map((Destination) => ({ Destination })),
})

const compile = (service: string, ...entries: AnyEntry[]): DiscoveryChain =>
  runToEnd(compileChain(new EntrySet(entries), service))

const startOf = ({ start, nodes }: DiscoveryChain) => nodes.get(start)

/** The members of a target that are not empty. */
const shortly = (target: object): object => Object.fromEntries(Object.entries(target).filter(([, value]) => value !== ''))

/** The final target of a chain that consists of resolvers only. */
function resolved(chain: DiscoveryChain): object {
  const node = startOf(chain)
  if (node?.kind !== 'resolver') throw new Error('the chain begins with something else')
  const failover = node.failover.map(shortly)
  return { ...shortly(node.target), ...(failover.length > 0 && { failover }) }
}

const V1_V2 = { Subsets: { v1: {}, v2: {} } }

describe('the protocol of a service', () => {
  it.each<[string, AnyEntry[], string]>([
    ['tcp if no entry names one', [], 'tcp'],
    ['that of the global defaults', [HTTP], 'http'],
    ['that of its own defaults', [HTTP, speaks('web', 'grpc')], 'grpc'],
    ['tcp if its own defaults name none, even if the global ones do', [HTTP, speaks('web', '')], 'tcp'],
    ['in lower case', [speaks('web', 'HTTP2')], 'http2'],
    ['in lower case from the global defaults', [{ ...HTTP, Config: { protocol: 'GRPC' } }], 'grpc'],
    ['the string form of a scalar', [{ ...HTTP, Config: { protocol: 8n } }], '8'],
    ['tcp if the global defaults name no scalar', [{ ...HTTP, Config: { protocol: { a: 1 } } }], 'tcp'],
    ['tcp if the global defaults contain null', [{ ...HTTP, Config: { protocol: null } }], 'tcp'],
    ['tcp if the global defaults have no such member', [{ ...HTTP, Config: { retries: 3 } }], 'tcp'],
    ['that of its own defaults, whose name may differ in case', [speaks('WEB', 'http')], 'http'],
  ])('is %s', (_what, entries, protocol) => {
    expect(protocolOf(new EntrySet(entries), 'web')).toBe(protocol)
    expect(compile('web', ...entries).protocol).toBe(protocol)
  })
})

describe('the resolution of a service', () => {
  it.each<[string, AnyEntry[], object]>([
    ['is the service itself if no entries exist', [], { service: 'web' }],
    [
      'follows redirects',
      [resolver('web', { Redirect: { Service: 'a' } }), resolver('a', { Redirect: { Service: 'b' } })],
      { service: 'b' },
    ],
    [
      'follows a redirect of the service to itself in another datacenter once',
      [resolver('web', { Redirect: { Datacenter: 'dc2' } })],
      { service: 'web', datacenter: 'dc2' },
    ],
    [
      'keeps the datacenter of a redirect through later redirects',
      [resolver('web', { Redirect: { Service: 'a', Datacenter: 'dc2' } }), resolver('a', { Redirect: { Service: 'b' } })],
      { service: 'b', datacenter: 'dc2' },
    ],
    ['uses the default subset', [resolver('web', { ...V1_V2, DefaultSubset: 'v2' })], { service: 'web', subset: 'v2' }],
    [
      'uses the default subset of the service to which a redirect leads',
      [resolver('web', { Redirect: { Service: 'a' } }), resolver('a', { ...V1_V2, DefaultSubset: 'v1' })],
      { service: 'a', subset: 'v1' },
    ],
    [
      'prefers the subset that a redirect names to the default subset',
      [resolver('web', { Redirect: { Service: 'a', ServiceSubset: 'v2' } }), resolver('a', { ...V1_V2, DefaultSubset: 'v1' })],
      { service: 'a', subset: 'v2' },
    ],
    [
      'ends with a redirect to a peer',
      [resolver('web', { Redirect: { Service: 'a', Peer: 'east' } }), resolver('a', { Redirect: { Service: 'b' } })],
      { service: 'a', peer: 'east' },
    ],
    [
      'ends with a redirect to another namespace',
      [resolver('web', { Redirect: { Service: 'web', Namespace: 'two' } })],
      { service: 'web', namespace: 'two' },
    ],
    [
      'contains no namespace after a redirect that names its own namespace',
      [resolver('web', { Redirect: { Service: 'a', Namespace: 'default' } })],
      { service: 'a' },
    ],
    [
      'includes failover to another service',
      [resolver('web', { Failover: { '*': { Service: 'a' } } })],
      { service: 'web', failover: [{ service: 'a' }] },
    ],
    [
      'includes failover to another service in several datacenters',
      [resolver('web', { Failover: { '*': { Service: 'a', Datacenters: ['dc2', 'dc3'] } } })],
      {
        service: 'web',
        failover: [
          { service: 'a', datacenter: 'dc2' },
          { service: 'a', datacenter: 'dc3' },
        ],
      },
    ],
    [
      'includes failover to targets, except to the service itself',
      [
        resolver('web', {
          ...V1_V2,
          Failover: { '*': { Targets: [{ Service: 'web' }, { ServiceSubset: 'v1' }, { Service: 'a', Peer: 'east' }] } },
        }),
      ],
      {
        service: 'web',
        failover: [
          { service: 'web', subset: 'v1' },
          { service: 'a', peer: 'east' },
        ],
      },
    ],
    [
      'prefers the failover of its subset to that of all subsets',
      [resolver('web', { ...V1_V2, DefaultSubset: 'v1', Failover: { '*': { Service: 'a' }, v1: { Service: 'b' } } })],
      { service: 'web', subset: 'v1', failover: [{ service: 'b' }] },
    ],
    [
      'keeps the subset when it fails over to another datacenter',
      [resolver('web', { ...V1_V2, DefaultSubset: 'v1', Failover: { v1: { Datacenters: ['dc2'] } } })],
      { service: 'web', subset: 'v1', failover: [{ service: 'web', subset: 'v1', datacenter: 'dc2' }] },
    ],
    [
      'resolves its failover targets, but ignores their own failover',
      [
        resolver('web', { Failover: { '*': { Service: 'a' } } }),
        resolver('a', { Redirect: { Service: 'b' } }),
        resolver('b', { Failover: { '*': { Service: 'web' } } }),
      ],
      { service: 'web', failover: [{ service: 'b' }] },
    ],
    [
      'matches names in any case',
      [resolver('WEB', { Redirect: { Service: 'A' } }), resolver('a', { Redirect: { Service: 'b' } })],
      { service: 'b' },
    ],
    [
      'ignores a redirect to the service itself with its name in another case',
      [resolver('web', { Redirect: { Service: 'WEB' } })],
      { service: 'web' },
    ],
    [
      'permits a redirect away from an external service',
      [speaks('web', 'http', 'web.example'), speaks('a', 'http'), resolver('web', { Redirect: { Service: 'a' } })],
      { service: 'a' },
    ],
    [
      'permits failover to an external service',
      [speaks('a', '', 'a.example'), resolver('web', { Failover: { '*': { Service: 'a' } } })],
      { service: 'web', failover: [{ service: 'a' }] },
    ],
  ])('%s', (_what, entries, target) => expect(resolved(compile('web', ...entries))).toEqual(target))

  it.each<[string, AnyEntry[], RegExp]>([
    [
      'a redirect to a subset that does not exist',
      [resolver('web', { Redirect: { Service: 'a', ServiceSubset: 'v9' } })],
      /"a" does not have a subset named "v9"/,
    ],
    [
      'a subset named like an inherited property',
      [resolver('web', { Redirect: { Service: 'a', ServiceSubset: 'constructor' } }), resolver('a', V1_V2)],
      /"a".*"constructor"/,
    ],
    [
      'a failover to a subset that does not exist',
      [resolver('web', { Failover: { '*': { Service: 'a', ServiceSubset: 'v9' } } })],
      /"a".*"v9"/,
    ],
    [
      'a cycle of redirects',
      [resolver('web', { Redirect: { Service: 'a' } }), resolver('a', { Redirect: { Service: 'web' } })],
      /circular redirect: "web" -> "a" -> "web"/,
    ],
    [
      'a cycle of redirects through another datacenter',
      [resolver('web', { Redirect: { Service: 'a', Datacenter: 'dc2' } }), resolver('a', { Redirect: { Service: 'web' } })],
      /circular redirect: "a" datacenter "dc2" -> "web" datacenter "dc2" -> "a" datacenter "dc2"/,
    ],
    [
      'a cycle of redirects after a failover',
      [
        resolver('web', { Failover: { '*': { Service: 'a' } } }),
        resolver('a', { Redirect: { Service: 'b' } }),
        resolver('b', { Redirect: { Service: 'a' } }),
      ],
      /circular redirect: "a" -> "b" -> "a"/,
    ],
    [
      'a redirect to another protocol',
      [speaks('a', 'grpc'), resolver('web', { Redirect: { Service: 'a' } })],
      /inconsistent protocols: .*"web" speaks "tcp".*"a" speaks "grpc"/,
    ],
    [
      'a failover to another protocol',
      [speaks('a', 'grpc'), resolver('web', { Failover: { '*': { Service: 'a' } } })],
      /inconsistent protocols/,
    ],
    ['subsets of an external service', [speaks('web', '', 'web.example'), resolver('web', V1_V2)], /"web".*external.*Subsets/],
    [
      'failover of an external service',
      [speaks('web', '', 'web.example'), resolver('web', { Failover: { '*': { Service: 'a' } } })],
      /"web".*external.*Failover/,
    ],
    [
      'a redirect of an external service to another datacenter',
      [speaks('web', '', 'web.example'), resolver('web', { Redirect: { Datacenter: 'dc2' } })],
      /"web".*external.*Redirect/,
    ],
  ])('refuses %s', (_what, entries, text) => expect(() => compile('web', ...entries)).toThrow(text))
})

describe('a chain with a router or splitter', () => {
  it('contains a node per router, splitter and resolver, and a final route for requests that match no other route', () => {
    const chain = compile(
      'web',
      HTTP,
      router('web', { Service: 'a' }, { Service: 'b', ServiceSubset: 'v1' }, {}),
      splitter('a', { Weight: 100 }),
      resolver('b', V1_V2),
      splitter('b', { Weight: 100 }),
    )
    const start = startOf(chain)
    if (start?.kind !== 'router') throw new Error('no router')
    const next = start.next.map((key) => chain.nodes.get(key))
    expect(next.map((node) => node?.kind)).toEqual(['splitter', 'resolver', 'resolver', 'resolver'])
    expect(next.slice(1).map((node) => node?.kind === 'resolver' && shortly(node.target))).toEqual([
      { service: 'b', subset: 'v1' },
      { service: 'web' },
      { service: 'web' },
    ])
    expect(chain.nodes.size).toBe(5)
  })

  it('does not contain the router of another service to which its splitter leads', () => {
    const chain = compile('web', HTTP, splitter('web', { Weight: 100, Service: 'a' }), router('a', { Service: 'b' }))
    expect([...chain.nodes.values()].map(({ kind }) => kind)).toEqual(['splitter', 'resolver'])
  })

  it('contains the target of a redirect instead of the redirected service', () => {
    const chain = compile(
      'web',
      HTTP,
      splitter('web', { Weight: 100, Service: 'a' }),
      resolver('a', { Redirect: { Service: 'b' } }),
    )
    expect([...chain.nodes.values()].map((node) => node.kind === 'resolver' && node.target.service)).toEqual([false, 'b'])
  })

  it.each<[string, AnyEntry[], RegExp]>([
    [
      'a splitter of a tcp service',
      [splitter('web', { Weight: 100 })],
      /"web" speaks "tcp".*does not permit advanced routing or splitting/,
    ],
    ['a router of a tcp service', [router('web')], /does not permit advanced routing/],
    [
      'a splitter to a tcp service',
      [speaks('web', 'http'), splitter('web', { Weight: 100, Service: 'a' })],
      /"a" speaks "tcp".*does not permit/,
    ],
    [
      'a router to a service of another protocol',
      [speaks('web', 'http'), speaks('a', 'grpc'), router('web', { Service: 'a' })],
      /inconsistent protocols/,
    ],
    [
      'a splitter to services of two protocols',
      [speaks('a', 'http'), speaks('b', 'grpc'), splitter('web', { Weight: 50, Service: 'a' }, { Weight: 50, Service: 'b' })],
      /inconsistent protocols: .*"a".*"b"/,
    ],
    [
      'a cycle of splitters',
      [HTTP, splitter('web', { Weight: 100, Service: 'a' }), splitter('a', { Weight: 100, Service: 'web' })],
      /circular reference: "web" -> "a" -> "web"/,
    ],
    [
      'a cycle of splitters after a router',
      [
        HTTP,
        router('web', { Service: 'a' }),
        splitter('a', { Weight: 100, Service: 'b' }),
        splitter('b', { Weight: 100, Service: 'a' }),
      ],
      /circular reference: "a" -> "b" -> "a"/,
    ],
  ])('refuses %s', (_what, entries, text) => expect(() => compile('web', ...entries)).toThrow(text))

  it('is valid if a splitter splits to its own service, because that split leads to the resolver', () => {
    expect(compile('web', HTTP, splitter('web', { Weight: 50 }, { Weight: 50, Service: 'WEB' })).nodes.size).toBe(2)
  })

  it('has the protocol of the services to which its splitter leads, not of the service that is split', () => {
    expect(
      compile('web', speaks('web', 'tcp'), speaks('a', 'http'), splitter('web', { Weight: 100, Service: 'a' })).protocol,
    ).toBe('http')
  })
})

describe('flattening nested splitters', () => {
  const flat = (...entries: AnyEntry[]) => {
    const chain = compile('web', HTTP, ...entries)
    return runToEnd(flattenSplits(chain, chain.start)).map(({ next, ...split }) => {
      const node = chain.nodes.get(next)
      return { ...split, to: node?.kind === 'resolver' ? node.target.service : undefined }
    })
  }

  it('returns one list of splits with the products of the nested weights', () => {
    const entries = [
      splitter('web', { Weight: 60 }, { Weight: 40, Service: 'a' }),
      splitter('a', { Weight: 25.5, Service: 'b' }, { Weight: 74.5 }),
    ]
    expect(flat(...entries)).toMatchObject([
      { Weight: 60, to: 'web' },
      { Weight: 10.2, to: 'b' },
      { Weight: 29.8, to: 'a' },
    ])
  })

  it('keeps splits with weight 0', () => {
    expect(flat(splitter('web', { Weight: 100 }, { Service: 'a' }), splitter('a', { Weight: 100, Service: 'b' }))).toMatchObject([
      { Weight: 100, to: 'web' },
      { Weight: 0, to: 'b' },
    ])
  })

  it('rounds weights to hundredths', () => {
    const third = { Weight: 33.33, Service: 'a' }
    expect(flat(splitter('web', third, { Weight: 66.67 }), splitter('a', third, { Weight: 66.67, Service: 'c' }))).toMatchObject([
      { Weight: 66.67, to: 'web' },
      { Weight: 11.11, to: 'a' },
      { Weight: 22.22, to: 'c' },
    ])
  })

  it('merges header modifiers, of which the inner splitter takes precedence', () => {
    const outer = { RequestHeaders: { Set: { a: 'outer', b: 'outer' }, Remove: ['x'] } }
    const inner = {
      RequestHeaders: { Set: { a: 'inner' }, Add: { c: 'inner' }, Remove: ['x', 'y'] },
      ResponseHeaders: { Remove: ['z'] },
    }
    expect(
      flat(splitter('web', { Weight: 100, Service: 'a', ...outer }), splitter('a', { Weight: 100, Service: 'b', ...inner })),
    ).toEqual([
      {
        Weight: 100,
        to: 'b',
        RequestHeaders: { Set: { a: 'inner', b: 'outer' }, Add: { c: 'inner' }, Remove: ['x', 'y'] },
        ResponseHeaders: { Remove: ['z'] },
      },
    ])
  })

  it('adds up the weights of splits with equal targets and equal modifiers', () => {
    const both = (name: string, a: string, b: string) => splitter(name, { Weight: 50, Service: a }, { Weight: 50, Service: b })
    expect(flat(both('web', 'a', 'b'), both('a', 'c', 'd'), both('b', 'c', 'd'))).toMatchObject([
      { Weight: 50, to: 'c' },
      { Weight: 50, to: 'd' },
    ])
  })
})
