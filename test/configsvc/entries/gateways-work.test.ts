/**
 * Reconciliation as scheduled work: when it is due, that it ends, that it runs once, and its cost.
 */
import { describe, expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { configWorld } from '../../fixtures/configsvc.ts'
import { counted } from '../../fixtures/counted-commits.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { turnsDuring } from '../turns.ts'
import {
  certificate,
  gateway,
  gatewayWorld,
  HTTP,
  httpRoute,
  manyRoutes,
  speaks,
  tcpRoute,
  withCertificate,
} from './gateway-world.ts'
import { diesAt, NEXT, outcome, START, stateOf, undisturbed } from './gateways-crashes.ts'

const MINUTE = 60_000

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

describe('a tick after writes', () => {
  it('reconciles nothing in a mesh without gateways and routes', async () => {
    await using world = await configWorld()
    const { put, remove } = gatewayWorld(world.service)
    const resolver = { Kind: 'service-resolver', Name: 'web' } as const
    await put(HTTP, speaks('web', 'http'), resolver, { Kind: 'service-router', Name: 'web' }, certificate('c'))
    await remove('service-router', 'web')
    await remove('file-system-certificate', 'c')
    expect(await world.service.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('reconciles an entry once even if it was written several times', async () => {
    await using world = await configWorld()
    const { put, settle } = gatewayWorld(world.service)
    await put(gateway('gw', {}))
    await settle()
    await put(gateway('gw', {}))
    expect(await world.service.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
    await put(gateway('gw', {}, {}))
    const once = await settle()
    for (let i = 1; i <= 5; i++) {
      await put(gateway('gw', ...many(i, () => ({}))))
      await world.clock.advance(1)
    }
    expect(await settle()).toBe(once)
  })

  it('reconciles nothing if the write was a dry run', async () => {
    await using world = await configWorld()
    await world.service.entries.apply(gateway('gw', {}), { dry_run: true })
    expect(await world.service.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })
})

describe('a reconciliation that finds no difference', () => {
  it('changes neither the entries nor their index', async () => {
    await using world = await configWorld()
    const { put, settle, read } = gatewayWorld(world.service)
    await put(HTTP, gateway('gw', {}), httpRoute('r'))
    await settle()
    const kinds = ['api-gateway', 'bound-api-gateway', 'http-route'] as const
    const all = () => Promise.all(kinds.map((kind) => read(kind, kind === 'http-route' ? 'r' : 'gw')))
    const index = async () => Number((await world.ask('GET', 'config/api-gateway')).headers['X-Config-Index'])
    const before = await all()
    await world.clock.advance(MINUTE)
    // The change affects no protocol.
    await put({ ...speaks('other', 'http') })
    const known = await index()
    expect(await settle()).toBeGreaterThan(0)
    expect(await index()).toBe(known)
    expect(await all()).toEqual(before)
    expect(await settle()).toBe(0)
  })

  it('keeps the members that a user writes, and a write by a user keeps the Status', async () => {
    await using world = await configWorld()
    const { put, settle, read } = gatewayWorld(world.service)
    await put(HTTP, gateway('gw', {}), httpRoute('r'))
    await settle()
    const first = await read('http-route', 'r')
    await put({ ...httpRoute('r'), Meta: { team: 'edge' } })
    const written = await read('http-route', 'r')
    expect(written?.['Status']).toEqual(first?.['Status'])
    expect(written?.ModifyIndex).toBeGreaterThan(first?.ModifyIndex ?? 0)
    await settle()
    expect(await read('http-route', 'r')).toEqual(written)
    await world.clock.advance(MINUTE)
    await put(gateway('gw', { Protocol: 'tcp' }))
    await settle()
    const route = await read('http-route', 'r')
    expect(route).toMatchObject({ CreateIndex: first?.CreateIndex, Meta: { team: 'edge' } })
    expect(route?.ModifyIndex).toBeGreaterThan(written?.ModifyIndex ?? 0)
    expect(route?.['Status']).toMatchObject({
      Conditions: [
        { Type: 'Accepted', LastTransitionTime: '2026-01-01T00:00:00.000Z' },
        { Type: 'Bound', LastTransitionTime: '2026-01-01T00:01:00.000Z' },
      ],
    })
  })
})

it('reconciliation wakes a blocking read of a bound-api-gateway entry whose routes change', async () => {
  await using world = await configWorld()
  const { put, settle } = gatewayWorld(world.service)
  await put(HTTP, gateway('gw', {}))
  await settle()
  const { headers } = await world.ask('GET', 'config/bound-api-gateway/gw')
  const waiting = world.ask('GET', `config/bound-api-gateway/gw?index=${headers['X-Config-Index']}&wait=10m`)
  await put(httpRoute('r'))
  await settle()
  expect((await waiting).body).toMatchObject({ Services: { web: [{ Kind: 'http-route', Name: 'r' }] } })
})

it('reconciliation binds routes only to gateways of the same namespace', async () => {
  await using world = await configWorld()
  const { entries } = world.service
  const { settle, bound } = gatewayWorld(world.service)
  await entries.apply(gateway('gw', {}), { ns: 'team' })
  await entries.apply(speaks('web', 'http'), { ns: 'team' })
  await entries.apply(httpRoute('r'), { ns: 'team' })
  await gatewayWorld(world.service).put(gateway('gw', {}))
  await settle()
  expect(await bound('gw')).toEqual({ l0: [] })
  const there = await entries.get({ Kind: 'bound-api-gateway', Name: 'gw', ns: 'team' })
  expect(there).toMatchObject({ Namespace: 'team', Services: { web: [{ Name: 'r' }] } })
})

// `gateways-crashes.slow.test.ts` tries every call.
it.each(['before', 'after'] as const)(
  'a reconciliation is completed by the next tick if the process dies %s a storage call takes effect',
  diesAt(5),
)

it('two services on one store that reconcile concurrently store the same result as one service', async () => {
  const expected = await undisturbed()
  const storage = memoryStorage()
  const options = { storage, plaintext: true, clock: fakeClock() } as const
  await using firstService = await createConfigService(options)
  await using two = await createConfigService(options)
  for (const entries of [START, NEXT]) {
    await Promise.all(entries.map((entry, i) => (i % 2 ? firstService : two).entries.apply(entry)))
    for (let done = 1; done > 0; ) {
      const results = await Promise.all([firstService.tick(), two.tick()])
      expect(results.flatMap(({ failed }) => failed)).toEqual([])
      done = results.reduce((sum, result) => sum + result.done, 0)
      await options.clock.advance(MINUTE)
    }
  }
  expect(stateOf(await outcome(two))).toEqual(stateOf(expected))
})

it('reconciliation stores the same result for any order of changes and ticks', async () => {
  const parents = fc.subarray(['a', 'b', 'a/l0', 'b/l1'])
  const listeners = fc.array(fc.constantFrom({}, { Protocol: 'tcp' }, withCertificate('c'), { Hostname: '*.org' }), {
    minLength: 1,
    maxLength: 2,
  })
  const name = fc.constantFrom('a', 'b')
  const change = fc.oneof(
    fc.record({ put: fc.tuple(name, listeners).map(([gw, all]) => gateway(gw, ...all)) }),
    fc.record({ put: fc.tuple(name, parents).map(([route, all]) => httpRoute(route, { parents: all, hosts: ['x.org'] })) }),
    fc.record({ put: fc.tuple(name, parents).map(([route, all]) => tcpRoute(route, { parents: all, to: ['web'] })) }),
    fc.record({ put: fc.constantFrom(speaks('web', 'http'), speaks('web', 'tcp'), HTTP, certificate('c')) }),
    fc.record({
      remove: fc.constantFrom(
        ['api-gateway', 'a'],
        ['http-route', 'a'],
        ['tcp-route', 'b'],
        ['service-defaults', 'web'],
        ['proxy-defaults', 'global'],
        ['file-system-certificate', 'c'],
      ),
    }),
    fc.record({ tick: fc.integer({ min: 1, max: 3 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 14 }), async (changes) => {
      await using world = await configWorld()
      const { entries } = world.service
      const there = new Map<string, ReturnType<typeof httpRoute>>()
      for (const change of changes) {
        if ('tick' in change) await world.service.tick({ limit: change.tick })
        else if ('put' in change) {
          await entries.apply(change.put)
          there.set(`${change.put.Kind}/${change.put.Name}`, change.put)
        } else {
          const [kind = '', gone = ''] = change.remove
          await entries.delete({ Kind: kind as 'mesh', Name: gone })
          there.delete(`${kind}/${gone}`)
        }
      }
      await gatewayWorld(world.service).settle()
      await using secondWorld = await configWorld()
      for (const entry of there.values()) await secondWorld.service.entries.apply(entry)
      await gatewayWorld(secondWorld.service).settle()
      expect(stateOf(await outcome(world.service))).toEqual(stateOf(await outcome(secondWorld.service)))
    }),
    { numRuns: runs({ quick: 15, soak: 400 }) },
  )
})

it('reconciliation of many routes yields to the event loop, and commits several dozen routes at a time', async () => {
  const ROUTES = 240
  const storage = counted(memoryStorage())
  await using world = await configWorld({ storage })
  const { put, settle, bound, says } = gatewayWorld(world.service)
  await manyRoutes(world.service, ROUTES)
  const first = await turnsDuring(settle)
  expect((await bound('gw'))?.['l0']).toHaveLength(ROUTES)
  expect(first.turns).toBeGreaterThanOrEqual(ROUTES)
  const before = storage.commits.length
  await put(gateway('gw', { Hostname: 'x.org' }))
  const again = await turnsDuring(settle)
  expect(storage.commits.length - before).toBeLessThan(ROUTES / 25)
  expect(again.turns).toBeGreaterThanOrEqual(ROUTES / 40)
  await put(gateway('gw', { Protocol: 'tcp' }))
  expect(await settle()).toBeLessThan(ROUTES / 25)
  expect(await says('http-route', `r${ROUTES - 1}`)).toContain('Bound False FailedToBind gw')
  await put(gateway('gw', {}))
  await settle()
  await put({ ...HTTP, Config: { protocol: 'tcp' } })
  const all = await turnsDuring(settle)
  expect(all.result).toBeLessThan(ROUTES / 25)
  expect(all.turns).toBeGreaterThanOrEqual(ROUTES / 40)
  expect(await says('http-route', 'r0')).toContain('Accepted False InvalidDiscoveryChain r0')
  expect(storage.most).toBeLessThanOrEqual(120)
})
