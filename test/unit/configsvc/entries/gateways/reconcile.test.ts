import { describe, expect, it } from 'vitest'
import type {
  Condition,
  EntryStatus,
  GatewayEntries,
  GatewayEntryOf,
  RouteKey,
} from '../../../../../src/configsvc/entries/gateways/gateway-entries.ts'
import {
  type ReconciledGateway,
  type RouteStatus,
  reconcileGateway,
  reconcileRoutes,
} from '../../../../../src/configsvc/entries/gateways/reconcile.ts'
import type { ReferenceLookup } from '../../../../../src/configsvc/entries/graph/graph-entries.ts'
import { runToEnd } from '../../../../../src/core/base/steps.ts'
import type { AnyEntry } from '../../../../fixtures/entry-set.ts'

const NOW = '2026-11-23T10:00:00Z'
const LATER = '2026-11-23T11:00:00Z'

class Mesh implements GatewayEntries, Pick<ReferenceLookup, 'referring'> {
  readonly namespace = 'default'
  readonly partition = 'default'
  readonly #entries: readonly AnyEntry[]

  constructor(...entries: readonly AnyEntry[]) {
    this.#entries = entries
  }

  get<K extends keyof GatewayEntryOf>(kind: K, name: string): GatewayEntryOf[K] | undefined {
    return this.#entries.find((entry) => entry.Kind === kind && entry.Name.toLowerCase() === name.toLowerCase()) as
      | GatewayEntryOf[K]
      | undefined
  }

  prefetch(): void {}

  // biome-ignore lint/correctness/useYield: nothing has to be loaded.
  *load<T>(look: () => T): Generator<void, T, void> {
    return look()
  }

  referring(_to: 'service' | 'jwt-provider' | 'api-gateway', gateway: string): readonly RouteKey[] {
    const names = (entry: AnyEntry) => (entry['Parents'] ?? []).map(({ Name }: AnyEntry) => Name.toLowerCase())
    return this.#entries
      .filter((entry) => names(entry).includes(gateway.toLowerCase()))
      .map(({ Kind, Name }) => ({ kind: Kind as RouteKey['kind'], name: Name }))
  }

  /** A gateway, and all routes that name it. */
  reconcile(gateway = 'gw', now = NOW): ReconciledGateway & { readonly routes: readonly RouteStatus[] } {
    const keys = [...this.referring('api-gateway', gateway)].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { ...runToEnd(reconcileGateway(this, this, gateway, now)), routes: runToEnd(reconcileRoutes(this, keys, now)) }
  }

  route(name: string, kind: RouteKey['kind'] = 'http-route', now = NOW): EntryStatus | undefined {
    return runToEnd(reconcileRoutes(this, [{ kind, name }], now))[0]?.status
  }

  with(...entries: readonly AnyEntry[]): Mesh {
    return new Mesh(
      ...entries,
      ...this.#entries.filter((entry) => !entries.some(({ Kind, Name }) => Kind === entry.Kind && Name === entry.Name)),
    )
  }
}

const HTTP: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

const gateway = (...listeners: object[]): AnyEntry => ({
  Kind: 'api-gateway',
  Name: 'gw',
  Listeners: listeners.map((listener, i) => ({ Name: `l${i}`, Port: 80 + i, Protocol: 'http', ...listener })),
})
const certified = (...names: string[]) => ({ TLS: { Certificates: names.map((Name) => ({ Kind: 'inline-certificate', Name })) } })
const parent = (Name = 'gw', SectionName = '') => ({ Kind: 'api-gateway', Name, SectionName })
const httpRoute = (Name: string, members: object = {}): AnyEntry => ({
  Kind: 'http-route',
  Name,
  Parents: [parent()],
  Rules: [{ Services: [{ Name: 'web' }] }],
  ...members,
})
const tcpRoute = (Name: string, members: object = {}): AnyEntry => ({
  Kind: 'tcp-route',
  Name,
  Parents: [parent()],
  Services: [{ Name: 'db' }],
  ...members,
})
const DB: AnyEntry = { Kind: 'service-defaults', Name: 'db', Protocol: 'tcp' }

/** The type, status, reason and resource of each condition. */
const brief = (status: EntryStatus | undefined) =>
  status?.Conditions.map(({ Type, Status, Reason, Resource }) =>
    [Type, Status, Reason, Resource.SectionName ? `${Resource.Name}/${Resource.SectionName}` : Resource.Name].join(' '),
  )

const routesBound = (set: Mesh) =>
  set.reconcile().bound?.Listeners.map(({ Name, Routes }) => [Name, Routes.map((route) => route.Name)])

describe('reconciling a gateway', () => {
  it('binds and accepts its routes if nothing conflicts', () => {
    const { bound, status, routes } = new Mesh(
      HTTP,
      DB,
      gateway({}, { Protocol: 'tcp' }),
      httpRoute('r'),
      tcpRoute('t'),
    ).reconcile()
    expect(bound).toEqual({
      Kind: 'bound-api-gateway',
      Name: 'gw',
      Listeners: [
        { Name: 'l0', Routes: [{ Kind: 'http-route', Name: 'r' }], Certificates: [] },
        { Name: 'l1', Routes: [{ Kind: 'tcp-route', Name: 't' }], Certificates: [] },
      ],
      Services: { db: [{ Kind: 'tcp-route', Name: 't' }], web: [{ Kind: 'http-route', Name: 'r' }] },
    })
    expect(brief(status)).toEqual([
      'Accepted True Accepted gw',
      'ResolvedRefs True ResolvedRefs gw/l0',
      'Conflicted False NoConflict gw/l0',
      'ResolvedRefs True ResolvedRefs gw/l1',
      'Conflicted False NoConflict gw/l1',
    ])
    expect(routes.map((route) => [route.name, brief(route.status)])).toEqual([
      ['r', ['Accepted True Accepted r', 'Bound True Bound gw']],
      ['t', ['Accepted True Accepted t', 'Bound True Bound gw']],
    ])
    expect(status?.Conditions.every(({ LastTransitionTime }) => LastTransitionTime === NOW)).toBe(true)
  })

  it('does not accept the gateway and binds no route if one of its certificates is missing', () => {
    const set = new Mesh(HTTP, gateway(certified('there', 'gone'), {}), httpRoute('r'), {
      Kind: 'inline-certificate',
      Name: 'there',
    })
    const { bound, status, routes } = set.reconcile()
    expect(bound?.Listeners).toEqual([
      { Name: 'l0', Routes: [], Certificates: [{ Kind: 'inline-certificate', Name: 'there' }] },
      { Name: 'l1', Routes: [], Certificates: [] },
    ])
    expect(bound?.Services).toEqual({})
    expect(brief(status)).toEqual([
      'Accepted False InvalidCertificates gw',
      'ResolvedRefs False InvalidCertificateRef gw/l0',
      'Conflicted False NoConflict gw/l0',
      'ResolvedRefs True ResolvedRefs gw/l1',
      'Conflicted False NoConflict gw/l1',
    ])
    expect(status?.Conditions[1]?.Message).toContain('inline-certificate "gone"')
    expect(brief(routes[0]?.status)).toEqual(['Accepted True Accepted r', 'Bound False FailedToBind gw'])
    const whole = set.with({ Kind: 'inline-certificate', Name: 'gone' }).reconcile()
    expect(brief(whole.status)?.[0]).toBe('Accepted True Accepted gw')
    expect(whole.bound?.Listeners[0]?.Routes).toHaveLength(1)
  })

  it('accepts the gateway if it names an existing file-system-certificate', () => {
    const listener = { TLS: { Certificates: [{ Kind: 'file-system-certificate', Name: 'c' }] } }
    expect(brief(new Mesh(gateway(listener), { Kind: 'file-system-certificate', Name: 'c' }).reconcile().status)?.[0]).toBe(
      'Accepted True Accepted gw',
    )
    expect(brief(new Mesh(gateway(listener), { Kind: 'inline-certificate', Name: 'c' }).reconcile().status)?.[0]).toContain(
      'InvalidCertificates',
    )
  })

  it('reports a conflict if two routes bind to one tcp listener', () => {
    const { bound, status } = new Mesh(DB, gateway({ Protocol: 'tcp' }), tcpRoute('a'), tcpRoute('b')).reconcile()
    expect(bound?.Listeners[0]?.Routes).toHaveLength(2)
    expect(brief(status)).toContain('Conflicted True RouteConflict gw/l0')
    const http = new Mesh(HTTP, gateway({}), httpRoute('a'), httpRoute('b')).reconcile()
    expect(brief(http.status)).toContain('Conflicted False NoConflict gw/l0')
  })

  it('reports GatewayNotFound to the routes if the gateway does not exist', () => {
    const { bound, status, routes } = new Mesh(HTTP, httpRoute('r')).reconcile()
    expect([bound, status]).toEqual([undefined, undefined])
    expect(brief(routes[0]?.status)).toEqual(['Accepted True Accepted r', 'Bound False GatewayNotFound gw'])
  })

  it('has the same result for any order of the stored entries', () => {
    const routes = ['c', 'a', 'b'].map((name) =>
      httpRoute(name, { Rules: [{ Services: [{ Name: `s-${name}` }, { Name: 'web' }] }] }),
    )
    const set = new Mesh(HTTP, gateway({}, {}), ...routes, tcpRoute('t'))
    const otherMesh = new Mesh(tcpRoute('t'), ...routes.reverse(), gateway({}, {}), HTTP)
    expect(JSON.stringify(otherMesh.reconcile())).toBe(JSON.stringify(set.reconcile()))
    expect(Object.keys(set.reconcile().bound?.Services ?? {})).toEqual(['s-a', 's-b', 's-c', 'web'])
  })

  it('can bind a route to a service called __proto__', () => {
    const { bound } = new Mesh(HTTP, gateway({}), httpRoute('r', { Rules: [{ Services: [{ Name: '__proto__' }] }] })).reconcile()
    expect(Object.keys(bound?.Services ?? {})).toEqual(['__proto__'])
  })
})

describe('a route binds', () => {
  it.each<[string, object, object[], string[]]>([
    ['to every listener if it names none', {}, [{}, {}], ['l0', 'l1']],
    ['to the listener it names', { Parents: [parent('gw', 'l1')] }, [{}, {}], ['l1']],
    ['to the listeners it names', { Parents: [parent('GW', 'l2'), parent('gw', 'l0')] }, [{}, {}, {}], ['l0', 'l2']],
    ['only to listeners with its protocol', {}, [{ Protocol: 'tcp' }, {}], ['l1']],
    [
      'to an exact hostname',
      { Hostnames: ['a.example.com'] },
      [{ Hostname: 'a.example.com' }, { Hostname: 'b.example.com' }],
      ['l0'],
    ],
    ['to a hostname in any case', { Hostnames: ['A.example.com'] }, [{ Hostname: 'a.Example.com' }], ['l0']],
    [
      'to a wildcard hostname that matches its hostname',
      { Hostnames: ['a.b.example.com'] },
      [{ Hostname: '*.example.com' }, { Hostname: '*.example.org' }],
      ['l0'],
    ],
    [
      'not to a wildcard hostname for the subdomains of its hostname',
      { Hostnames: ['example.com'] },
      [{ Hostname: '*.example.com' }],
      [],
    ],
    [
      'not to a wildcard hostname whose suffix begins within a label',
      { Hostnames: ['badexample.com'] },
      [{ Hostname: '*.example.com' }],
      [],
    ],
    [
      'to a hostname that equals one of its hostnames',
      { Hostnames: ['x.org', 'a.example.com'] },
      [{ Hostname: 'a.example.com' }],
      ['l0'],
    ],
    ['to every hostname if it names none', {}, [{ Hostname: 'a.example.com' }, { Hostname: '*.org' }], ['l0', 'l1']],
    ['to every listener without a hostname', { Hostnames: ['a.example.com'] }, [{}, { Hostname: '' }], ['l0', 'l1']],
  ])('%s', (_what, members, listeners, expected) => {
    const set = new Mesh(HTTP, gateway(...listeners), httpRoute('r', members))
    expect(routesBound(set)).toEqual(listeners.map((_, i) => [`l${i}`, expected.includes(`l${i}`) ? ['r'] : []]))
  })

  it.each<[string, object, string]>([
    ['the listener does not exist', { Parents: [parent('gw', 'l9')] }, 'Bound False FailedToBind gw/l9'],
    ['no listener has its hostname', { Hostnames: ['b.org'] }, 'Bound False FailedToBind gw'],
    ['the gateway does not exist', { Parents: [parent('other')] }, 'Bound False GatewayNotFound other'],
  ])('to no listener, with the reason in its Status, if %s', (_what, members, condition) => {
    const set = new Mesh(HTTP, gateway({ Hostname: 'a.org' }), httpRoute('r', members))
    expect(brief(set.route('r'))).toEqual(['Accepted True Accepted r', condition])
  })

  it('to each of its parents, with one condition per parent', () => {
    const set = new Mesh(HTTP, gateway({}), httpRoute('r', { Parents: [parent('gw', 'l0'), parent('gone')] }))
    expect(brief(set.route('r'))).toEqual([
      'Accepted True Accepted r',
      'Bound True Bound gw/l0',
      'Bound False GatewayNotFound gone',
    ])
    expect(set.reconcile().routes[0]?.status).toEqual(set.route('r'))
  })

  it('to nothing and has no Status if the route does not exist', () => expect(new Mesh().route('r')).toBeUndefined())
})

describe('a route is accepted', () => {
  const splitter = { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }] }
  const speaks = (Protocol: string): AnyEntry => ({ Kind: 'service-defaults', Name: 'web', Protocol })

  it.each(['http', 'http2', 'grpc'])('if it is an http-route and the chain has protocol %s', (protocol) => {
    expect(brief(new Mesh(speaks(protocol), gateway({}), httpRoute('r')).route('r'))?.[0]).toBe('Accepted True Accepted r')
  })

  it.each<[string, Mesh, RouteKey['kind'], string]>([
    ['has rules without services', new Mesh(httpRoute('r', { Rules: [{}] })), 'http-route', 'NoUpstreamServicesTargeted'],
    ['has no services', new Mesh(tcpRoute('r', { Services: [] })), 'tcp-route', 'NoUpstreamServicesTargeted'],
    ['is an http-route for a tcp service', new Mesh(speaks('tcp'), httpRoute('r')), 'http-route', 'InvalidDiscoveryChain'],
    ['is a tcp-route for an http service', new Mesh(HTTP, tcpRoute('r')), 'tcp-route', 'InvalidDiscoveryChain'],
    [
      'leads to a chain that does not compile',
      new Mesh(speaks('tcp'), splitter, httpRoute('r')),
      'http-route',
      'InvalidDiscoveryChain',
    ],
  ])('unless it %s', (_what, set, kind, reason) => {
    const all = set.with(gateway({}, { Protocol: 'tcp' }))
    expect(brief(all.route('r', kind))).toEqual([`Accepted False ${reason} r`, 'Bound False FailedToBind gw'])
    expect(routesBound(all)).toEqual([
      ['l0', []],
      ['l1', []],
    ])
    expect(all.reconcile().bound?.Services).toEqual({})
  })
})

describe('the transition time of a condition', () => {
  const times = (status: EntryStatus | undefined) => status?.Conditions.map(({ LastTransitionTime }) => LastTransitionTime)

  it('is kept by a later reconciliation if the condition is unchanged', () => {
    const set = new Mesh(HTTP, gateway(certified('c')), httpRoute('r'))
    const first = set.reconcile()
    const written = set.with(
      { ...gateway(certified('c')), Status: first.status },
      { ...httpRoute('r'), Status: first.routes[0]?.status },
    )
    expect(written.reconcile('gw', LATER)).toEqual(first)
    const changed = written.with({ Kind: 'inline-certificate', Name: 'c' }).reconcile('gw', LATER)
    expect(times(changed.status)).toEqual([LATER, LATER, NOW])
    expect(times(changed.routes[0]?.status)).toEqual([NOW, LATER])
  })

  it('is the current time if the stored conditions concern another resource', () => {
    const { status } = new Mesh(HTTP, gateway({})).reconcile()
    const moved =
      status?.Conditions.map(
        (condition): Condition => ({ ...condition, Resource: { ...condition.Resource, SectionName: 'x' } }),
      ) ?? []
    const set = new Mesh(HTTP, { ...gateway({}), Status: { Conditions: moved } })
    expect(times(set.reconcile('gw', LATER).status)).toEqual([LATER, LATER, LATER])
  })
})

it('reconcileRoutes rethrows the value that a read throws to request that a record be loaded', () => {
  const signal = Symbol('load')
  class Loading extends Mesh {
    override get<K extends keyof GatewayEntryOf>(kind: K, name: string): GatewayEntryOf[K] | undefined {
      if (kind === 'service-defaults') throw signal
      return super.get(kind, name)
    }
  }
  const steps = reconcileRoutes(new Loading(httpRoute('r')), [{ kind: 'http-route', name: 'r' }], NOW)
  let thrown: unknown
  try {
    runToEnd(steps)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBe(signal)
})
