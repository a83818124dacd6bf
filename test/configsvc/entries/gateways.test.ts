import { describe, expect, it } from 'vitest'
import type { ConfigEntryInput } from '../../../src/configsvc/entries/operations/fields.ts'
import { configWorld } from '../../fixtures/configsvc.ts'
import { ecPair } from '../../fixtures/key-pairs.ts'
import {
  certificate,
  type GatewayWorld,
  gateway,
  gatewayWorld,
  HTTP,
  httpRoute,
  type RouteMembers,
  speaks,
  tcpRoute,
  withCertificate,
} from './gateway-world.ts'

/** The result of reconciling these entries. */
async function among<T>(entries: readonly ConfigEntryInput[], look: (world: GatewayWorld) => Promise<T>): Promise<T> {
  await using world = await configWorld()
  const gateways = gatewayWorld(world.service)
  await gateways.put(...entries)
  await gateways.settle()
  return look(gateways)
}

const whole = [HTTP, speaks('db', 'tcp'), gateway('gw', {}, { Protocol: 'tcp' }), httpRoute('r'), tcpRoute('t')]

describe('the conditions in a Status', () => {
  const splitter: ConfigEntryInput = { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }] }
  it.each<[string, readonly ConfigEntryInput[], ConfigEntryInput['Kind'], string, string]>([
    ['a gateway is accepted', whole, 'api-gateway', 'gw', 'Accepted True Accepted gw'],
    ['its references are resolved', whole, 'api-gateway', 'gw', 'ResolvedRefs True ResolvedRefs gw/l0'],
    ['a listener has no conflict', whole, 'api-gateway', 'gw', 'Conflicted False NoConflict gw/l1'],
    ['an http-route is accepted', whole, 'http-route', 'r', 'Accepted True Accepted r'],
    ['an http-route is bound', whole, 'http-route', 'r', 'Bound True Bound gw'],
    ['a tcp-route is accepted', whole, 'tcp-route', 't', 'Accepted True Accepted t'],
    ['a tcp-route is bound', whole, 'tcp-route', 't', 'Bound True Bound gw'],
    [
      'a gateway lacks a certificate',
      [gateway('gw', withCertificate('c'))],
      'api-gateway',
      'gw',
      'Accepted False InvalidCertificates gw',
    ],
    [
      'a listener lacks a certificate',
      [gateway('gw', withCertificate('c'))],
      'api-gateway',
      'gw',
      'ResolvedRefs False InvalidCertificateRef gw/l0',
    ],
    [
      'two tcp-routes on one listener conflict',
      [gateway('gw', { Protocol: 'tcp' }), tcpRoute('a'), tcpRoute('b')],
      'api-gateway',
      'gw',
      'Conflicted True RouteConflict gw/l0',
    ],
    [
      'two http-routes on one listener do not conflict',
      [HTTP, gateway('gw', {}), httpRoute('a'), httpRoute('b')],
      'api-gateway',
      'gw',
      'Conflicted False NoConflict gw/l0',
    ],
    [
      'a route without services is not accepted',
      [tcpRoute('t', { to: [] })],
      'tcp-route',
      't',
      'Accepted False NoUpstreamServicesTargeted t',
    ],
    [
      'an http-route to a chain with protocol tcp is not accepted',
      [httpRoute('r')],
      'http-route',
      'r',
      'Accepted False InvalidDiscoveryChain r',
    ],
    [
      'a tcp-route to a chain with protocol http is not accepted',
      [HTTP, tcpRoute('t')],
      'tcp-route',
      't',
      'Accepted False InvalidDiscoveryChain t',
    ],
    [
      'an http-route to a chain with a splitter is accepted',
      [HTTP, splitter, httpRoute('r')],
      'http-route',
      'r',
      'Accepted True Accepted r',
    ],
    ['the gateway does not exist', [HTTP, httpRoute('r')], 'http-route', 'r', 'Bound False GatewayNotFound gw'],
    [
      'a route has another protocol than the listener',
      [HTTP, gateway('gw', { Protocol: 'tcp' }), httpRoute('r')],
      'http-route',
      'r',
      'Bound False FailedToBind gw',
    ],
    [
      'the gateway of a route is not accepted',
      [HTTP, gateway('gw', withCertificate('c')), httpRoute('r')],
      'http-route',
      'r',
      'Bound False FailedToBind gw',
    ],
    [
      'a listener does not exist',
      [HTTP, gateway('gw', {}), httpRoute('r', { parents: ['gw', 'gw/l9'] })],
      'http-route',
      'r',
      'Bound False FailedToBind gw/l9',
    ],
  ])('state that %s', async (_what, entries, kind, name, expected) => {
    expect(await among(entries, (world) => world.says(kind, name))).toContain(expected)
  })

  it('are returned by reads and lists, next to the members that users have written', async () => {
    await using world = await configWorld()
    const { put, settle } = gatewayWorld(world.service)
    await put({ ...gateway('gw', {}), Meta: { team: 'edge' }, Status: { Conditions: [{ Type: 'Invented' }] } })
    expect((await world.ask('GET', 'config/api-gateway/gw')).body).toHaveProperty('Status', {})
    await settle()
    const condition = {
      Type: 'Accepted',
      Status: 'True',
      Reason: 'Accepted',
      Message: expect.any(String),
      Resource: { Kind: 'api-gateway', Name: 'gw' },
      LastTransitionTime: '2026-01-01T00:00:00.000Z',
    }
    const answer = await world.ask('GET', 'config/api-gateway/gw')
    expect(answer.body).toMatchObject({ Meta: { team: 'edge' }, Listeners: [{ Name: 'l0' }] })
    expect(answer.body.Status.Conditions[0]).toEqual(condition)
    expect((await world.ask('GET', 'config/api-gateway')).body).toEqual([answer.body])
  })
})

describe('an http-route binds', () => {
  it.each<[string, RouteMembers, readonly object[], readonly string[]]>([
    ['to every listener of its protocol', {}, [{}, { Protocol: 'tcp' }, {}], ['l0', 'l2']],
    ['to the listeners it names', { parents: ['GW/l1', 'gw/l2'] }, [{}, {}, {}], ['l1', 'l2']],
    ['to its host', { hosts: ['a.example.com'] }, [{ Hostname: 'a.example.com' }, { Hostname: 'b.example.com' }], ['l0']],
    [
      'to a suffix of its host',
      { hosts: ['a.example.com'] },
      [{ Hostname: '*.example.com' }, { Hostname: '*.a.example.com' }],
      ['l0'],
    ],
    ['to any host if it names none', {}, [{ Hostname: 'a.example.com' }, {}], ['l0', 'l1']],
    ['to nothing if its service has another protocol', { to: ['db'] }, [{}], []],
  ])('%s', async (_what, members, listeners, expected) => {
    const entries = [HTTP, speaks('db', 'tcp'), gateway('gw', ...listeners), httpRoute('r', members)]
    const bound = listeners.map((_, i) => [`l${i}`, expected.includes(`l${i}`) ? ['r'] : []])
    expect(await among(entries, (world) => world.bound('gw'))).toEqual(Object.fromEntries(bound))
  })
})

it('a bound-api-gateway entry lists the routes of each listener in the order of the listeners', async () => {
  await using world = await configWorld()
  const { put, settle } = gatewayWorld(world.service)
  const listeners = [withCertificate('C'), { Protocol: 'tcp' }, {}]
  await put(
    certificate('c'),
    HTTP,
    speaks('db', 'tcp'),
    gateway('GW', ...listeners),
    httpRoute('b'),
    httpRoute('A'),
    tcpRoute('t'),
  )
  await settle()
  const { body } = await world.ask('GET', 'config/bound-api-gateway/gw')
  const http = [
    { Kind: 'http-route', Name: 'A' },
    { Kind: 'http-route', Name: 'b' },
  ]
  expect(body).toEqual({
    Kind: 'bound-api-gateway',
    Name: 'GW',
    Listeners: [
      { Name: 'l0', Routes: http, Certificates: [{ Kind: 'file-system-certificate', Name: 'C' }] },
      { Name: 'l1', Routes: [{ Kind: 'tcp-route', Name: 't' }] },
      { Name: 'l2', Routes: http },
    ],
    Services: { db: [{ Kind: 'tcp-route', Name: 't' }], web: http },
    CreateIndex: expect.any(Number),
    ModifyIndex: body.CreateIndex,
  })
  expect((await world.ask('PUT', 'config', body)).status).toBe(403)
  expect((await world.ask('DELETE', 'config/bound-api-gateway/gw')).status).toBe(403)
})

describe('reconciliation follows a change of', () => {
  async function changing(
    entries: readonly ConfigEntryInput[],
    body: (world: GatewayWorld, settled: (change: Promise<void>) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await using world = await configWorld()
    const gateways = gatewayWorld(world.service)
    await gateways.put(...entries)
    await gateways.settle()
    await body(gateways, async (change) => {
      await change
      await gateways.settle()
    })
  }

  it('a certificate in a file', () =>
    changing([HTTP, gateway('gw', withCertificate('c')), httpRoute('r')], async (world, settled) => {
      expect(await world.bound('gw')).toEqual({ l0: [] })
      await settled(world.put(certificate('c')))
      expect(await world.bound('gw')).toEqual({ l0: ['r'] })
      expect(await world.says('api-gateway', 'gw')).toContain('ResolvedRefs True ResolvedRefs gw/l0')
      expect(await world.says('http-route', 'r')).toContain('Bound True Bound gw')
      await settled(world.remove('file-system-certificate', 'c'))
      expect(await world.bound('gw')).toEqual({ l0: [] })
      expect(await world.says('api-gateway', 'gw')).toContain('Accepted False InvalidCertificates gw')
      expect(await world.says('http-route', 'r')).toContain('Bound False FailedToBind gw')
    }))

  it('an inline certificate', () =>
    changing([HTTP, gateway('gw', withCertificate('c', 'inline-certificate')), httpRoute('r')], async (world, settled) => {
      const pair = ecPair()
      await settled(world.put({ Kind: 'inline-certificate', Name: 'c', Certificate: pair.certificate(), PrivateKey: pair.key() }))
      expect(await world.bound('gw')).toEqual({ l0: ['r'] })
      expect(JSON.stringify(await world.read('bound-api-gateway', 'gw'))).not.toContain('PRIVATE')
      await settled(world.remove('inline-certificate', 'c'))
      expect(await world.bound('gw')).toEqual({ l0: [] })
    }))

  it('a gateway', () =>
    changing([HTTP, gateway('gw', {}), httpRoute('r'), httpRoute('s', { parents: ['gw/l1'] })], async (world, settled) => {
      expect(await world.bound('gw')).toEqual({ l0: ['r'] })
      await settled(world.put(gateway('gw', {}, {})))
      expect(await world.bound('gw')).toEqual({ l0: ['r'], l1: ['r', 's'] })
      expect(await world.says('http-route', 's')).toContain('Bound True Bound gw/l1')
      await settled(world.remove('api-gateway', 'GW'))
      expect(await world.bound('gw')).toBeUndefined()
      expect(await world.says('http-route', 'r')).toEqual(['Accepted True Accepted r', 'Bound False GatewayNotFound gw'])
      await settled(world.put(gateway('gw', {})))
      expect(await world.bound('gw')).toEqual({ l0: ['r'] })
      expect(await world.says('http-route', 'r')).toContain('Bound True Bound gw')
    }))

  it('a route that moves to another gateway and is then deleted', () =>
    changing([HTTP, gateway('one', {}), gateway('two', {}), httpRoute('r', { parents: ['one'] })], async (world, settled) => {
      await settled(world.put(httpRoute('r', { parents: ['two'] })))
      expect(await world.bound('one')).toEqual({ l0: [] })
      expect(await world.bound('two')).toEqual({ l0: ['r'] })
      expect(await world.says('http-route', 'r')).toEqual(['Accepted True Accepted r', 'Bound True Bound two'])
      // It is deleted before any tick has seen its new parent.
      await world.put(httpRoute('r', { parents: ['one'] }))
      await settled(world.remove('http-route', 'R'))
      expect(await world.bound('one')).toEqual({ l0: [] })
      expect(await world.bound('two')).toEqual({ l0: [] })
    }))

  const redirect: ConfigEntryInput = { Kind: 'service-resolver', Name: 'web', Redirect: { Service: 'shop' } }
  it.each<[string, readonly ConfigEntryInput[], readonly ConfigEntryInput[]]>([
    ['the defaults of the service', [speaks('web', 'http')], [speaks('web', 'tcp')]],
    ['the defaults of all services', [HTTP], [{ ...HTTP, Config: { protocol: 'tcp' } }]],
    [
      'services of a chain together',
      [speaks('web', 'http'), speaks('shop', 'http'), redirect],
      [speaks('web', 'tcp'), speaks('shop', 'tcp'), redirect],
    ],
  ])('%s', (_what, entries, change) =>
    changing(
      [...entries, gateway('gw', {}), gateway('other', {}), httpRoute('r', { parents: ['gw', 'other'] })],
      async (world, settled) => {
        expect(await world.bound('gw')).toEqual({ l0: ['r'] })
        await settled(world.together(...change))
        for (const name of ['gw', 'other']) expect(await world.bound(name)).toEqual({ l0: [] })
        expect(await world.says('http-route', 'r')).toEqual([
          'Accepted False InvalidDiscoveryChain r',
          'Bound False FailedToBind gw',
          'Bound False FailedToBind other',
        ])
        await settled(world.together(...entries))
        for (const name of ['gw', 'other']) expect(await world.bound(name)).toEqual({ l0: ['r'] })
      },
    ),
  )

  it('a gateway together with a discovery chain of its routes, which also affects other gateways', () =>
    changing(
      [speaks('web', 'http'), gateway('gw', {}), gateway('other', {}), httpRoute('r', { parents: ['gw', 'other'] })],
      async (world, settled) => {
        await world.put(gateway('gw', {}, {}))
        await settled(world.put(speaks('web', 'tcp')))
        expect(await world.bound('gw')).toEqual({ l0: [], l1: [] })
        expect(await world.bound('other')).toEqual({ l0: [] })
      },
    ))
})
