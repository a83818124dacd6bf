/**
 * Complaints of Vault users, each as a test. Further ones have tests elsewhere: writes during a reindex (`inspect/write-latency`),
 * differing roots and repairs without a reindex (`clusters/damage`), local data after update-primary (`update-primary`), a batch token
 * without shares (`dr/authorize`), and a filter that removes new data of a mount (`filters/parts`).
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel, KernelOptions, ReplicationTransport } from '../../../src/index.ts'
import { DR, KINDS, type Kind, PERFORMANCE, rootOf, ticked, tokenOf } from './kinds.ts'
import { type Site, Sites } from './sites.ts'

let sites = new Sites()
afterEach(async () => {
  await sites.close()
  sites = new Sites()
})

const statesOf = (kernel: Kernel, kind: Kind): string[] => {
  const states: string[] = []
  kernel.events.on('replication.state_changed', ({ state, kind: of }) => {
    if (of === kind.name) states.push(state)
  })
  return states
}

async function following(
  kind: Kind,
  primary: Site,
  id: string,
  ports?: { readonly replication: ReplicationTransport },
  replication?: KernelOptions['replication'],
): Promise<Site> {
  const site = await sites.open({ ...(ports ? { ports } : {}), ...(replication ? { replication } : {}) })
  await kind.of(site.kernel).enableSecondary({ token: await tokenOf(kind, primary.kernel, id) })
  return site
}

async function primaryOf(...kinds: readonly Kind[]): Promise<Site> {
  const site = await sites.open()
  for (const kind of kinds) await kind.of(site.kernel).enablePrimary()
  return site
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))(
  'a secondary (%s) does not alternate between Merkle sync and streaming',
  (_, kind) => {
    it('if the primary writes between any two messages, even to records that were already compared', async () => {
      const primary = await primaryOf(kind)
      for (let n = 0; n < 150; n++) await primary.kernel.kv.writeSecret({ path: `n/${n}`, data: { n } })
      let writes = 0
      const busy: ReplicationTransport = {
        listen: sites.network.listen,
        async request(address, bytes, signal) {
          for (let n = 0; n < 3; n++) await primary.kernel.kv.writeSecret({ path: `n/${writes++ % 200}`, data: { writes } })
          return sites.network.request(address, bytes, signal)
        },
      }
      const secondary = await following(kind, primary, 'one', { replication: busy })
      const states = statesOf(secondary.kernel, kind)
      for (let n = 0; n < 3; n++) await ticked(secondary.kernel)
      expect((await kind.of(secondary.kernel).readStatus()).state).toBe('stream-wals')
      expect(states.filter((state) => state === 'merkle-diff')).toEqual(['merkle-diff'])
      expect(writes).toBeGreaterThan(20)
    })

    it('if it was revoked, but stays idle with the reason in `last_error`', async () => {
      const primary = await primaryOf(kind)
      const secondary = await following(kind, primary, 'one')
      await ticked(secondary.kernel)
      await kind.of(primary.kernel).revokeSecondary({ id: 'one' })
      const states = statesOf(secondary.kernel, kind)
      for (let n = 0; n < 3; n++) await secondary.kernel.tick()
      expect(await kind.of(secondary.kernel).readStatus()).toMatchObject({
        state: 'idle',
        last_error: expect.stringContaining('does not know this secondary'),
      })
      expect(states).toEqual(['idle'])
    })
  },
)

describe('after a failover, replication status and sys/health report the same roles', () => {
  const roles = async ({ kernel }: Site): Promise<readonly string[]> => {
    const { performance, dr } = await kernel.replication.status()
    const { body } = await kernel.handle({ method: 'GET', path: '/v1/sys/health', headers: {} })
    const shown = body as { readonly replication_performance_mode: string; readonly replication_dr_mode: string }
    expect([shown.replication_performance_mode, shown.replication_dr_mode]).toEqual([performance.mode, dr.mode])
    expect([(await kernel.replication.readStatus()).mode, (await kernel.replication.dr.readStatus()).mode]).toEqual([
      performance.mode,
      dr.mode,
    ])
    return [performance.mode, dr.mode]
  }

  it.each([
    ['the primary of a set', true],
    ['a secondary of a set', false],
  ] as const)('for %s', async (_, isTop) => {
    const top = await primaryOf(PERFORMANCE)
    const site = isTop ? top : await following(PERFORMANCE, top, 'one')
    if (!isTop) await ticked(site.kernel)
    const part = isTop ? 'primary' : 'secondary'
    await site.kernel.replication.dr.enablePrimary()
    const mirror = await following(DR, site, 'mirror')
    await ticked(mirror.kernel)
    expect([await roles(site), await roles(mirror)]).toEqual([
      [part, 'primary'],
      ['disabled', 'secondary'],
    ])
    await site.kernel.replication.dr.demotePrimary()
    expect(await roles(site)).toEqual(['disabled', 'secondary'])
    await mirror.kernel.replication.dr.promote()
    expect(await roles(mirror)).toEqual([part, 'primary'])
    await site.kernel.replication.dr.updatePrimary({ token: await tokenOf(DR, mirror.kernel, 'back') })
    await ticked(site.kernel)
    expect(await roles(site)).toEqual(['disabled', 'secondary'])
    // A forced promotion; then the former primary follows.
    await site.kernel.replication.dr.promote({ force: true })
    expect([await roles(site), await roles(mirror)]).toEqual([
      [part, 'primary'],
      [part, 'primary'],
    ])
    await mirror.kernel.replication.dr.demotePrimary()
    await mirror.kernel.replication.dr.updatePrimary({ token: await tokenOf(DR, site.kernel, 'again') })
    await ticked(mirror.kernel)
    expect([await roles(site), await roles(mirror)]).toEqual([
      [part, 'primary'],
      ['disabled', 'secondary'],
    ])
  })
})

const INDEX = 'X-Service-Index'

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('after a promotion without force (%s)', (name, kind) => {
  it.each([true, false])(
    'a request with an index of the former primary never fails with status 412 (primary was demoted: %s)',
    async (stepsDown) => {
      const primary = await primaryOf(kind)
      const secondary = await following(kind, primary, 'one')
      await ticked(secondary.kernel)
      const send = ({ kernel }: Site, method: string, token: string, headers: object, body?: object) =>
        kernel.handle({
          method,
          path: '/v1/secret/a',
          headers: { 'X-Service-Token': token, ...headers },
          ...(body ? { body } : {}),
        })
      const root = primary.kernel.rootToken ?? ''
      const indexes: unknown[] = []
      for (let n = 0; n < 5; n++) indexes.push((await send(primary, 'POST', root, {}, { n })).headers[INDEX])
      expect(indexes.every((index) => typeof index === 'string')).toBe(true)
      await ticked(secondary.kernel)
      if (stepsDown) await kind.of(primary.kernel).demotePrimary()
      else await primary.kernel.close()
      await kind.of(secondary.kernel).promote()
      const token = name === 'dr' ? root : (await secondary.kernel.tokens.createToken({ policies: ['root'] })).client_token
      for (const index of indexes) {
        const { status, body } = await send(secondary, 'GET', token, { [INDEX]: index })
        expect([status, (body as { data?: unknown }).data]).toEqual([200, { n: 4 }])
      }
      const later = (await send(secondary, 'POST', token, {}, { n: 5 })).headers[INDEX]
      expect((await send(secondary, 'GET', token, { [INDEX]: later })).status).toBe(200)
    },
  )
})

it.each([
  ['was demoted', undefined],
  ['is gone', undefined],
  // Its log contains almost nothing from before the promotion.
  ['was demoted, and its successor has a short log', { maxBytes: 1000 }],
] as const)(
  "a performance secondary still streams after the promotion of its primary's DR secondary: the former primary %s",
  async (how, log) => {
    const primary = await primaryOf(PERFORMANCE, DR)
    for (let n = 0; n < 50; n++) await primary.kernel.kv.writeSecret({ path: `n/${n}`, data: { n } })
    const mirror = await following(DR, primary, 'mirror', undefined, log && { log })
    await ticked(mirror.kernel)
    const secondary = await following(PERFORMANCE, primary, 'one')
    await ticked(secondary.kernel)
    await primary.kernel.kv.writeSecret({ path: 'last', data: { n: 50 } })
    for (const { kernel } of [mirror, secondary]) await ticked(kernel)
    if (how !== 'is gone') await primary.kernel.replication.dr.demotePrimary()
    else await primary.kernel.close()
    await mirror.kernel.replication.dr.promote()
    const states = statesOf(secondary.kernel, PERFORMANCE)
    const before = sites.network.bytes
    await mirror.kernel.kv.writeSecret({ path: 'later', data: { n: 51 } })
    await ticked(secondary.kernel)
    expect(states.filter((state) => state.startsWith('merkle'))).toEqual([])
    // A greeting and the new records.
    expect(sites.network.bytes - before).toBeLessThan(20_000)
    expect((await secondary.kernel.kv.readSecret({ path: 'later' })).data).toEqual({ n: 51 })
    expect(await rootOf(PERFORMANCE, secondary.kernel)).toBe(await rootOf(PERFORMANCE, mirror.kernel))
    expect((await secondary.kernel.replication.readStatus()).lost_writes).toBe(0)
  },
)
