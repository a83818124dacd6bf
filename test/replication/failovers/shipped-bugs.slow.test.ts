/**
 * Bugs of Vault and OpenBao releases, each with a test of the correct behavior. Further ones have tests elsewhere: comparing with a primary
 * that changes (`complaints`, `clusters/interrupted`), local data after update-primary (`update-primary`), filters (`filters/parts`),
 * addresses on a demoted cluster (`update-primary`), late writes of a former primary (`clusters/stores`, `former-primary`).
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel, ReplicationTransport } from '../../../src/index.ts'
import { DR, KINDS, type Kind, PERFORMANCE, rootOf, ticked, tokenOf } from './kinds.ts'
import { type Site, Sites } from './sites.ts'

let sites = new Sites()
afterEach(async () => {
  await sites.close()
  sites = new Sites()
})

async function pair(kind: Kind, options: Parameters<Sites['open']>[0] = {}): Promise<readonly [Site, Site]> {
  const [primary, secondary] = [await sites.open(options), await sites.open(options)]
  await primary.kernel.kv.writeSecret({ path: 'first', data: { n: 0 } })
  await kind.of(primary.kernel).enablePrimary()
  await kind.of(secondary.kernel).enableSecondary({ token: await tokenOf(kind, primary.kernel, 'one') })
  await ticked(secondary.kernel)
  return [primary, secondary]
}

async function expectLevel(kind: Kind, primary: Site, secondary: Site): Promise<void> {
  await ticked(secondary.kernel)
  expect(await kind.of(secondary.kernel).readStatus()).toMatchObject({ state: 'stream-wals', lag: 0 })
  expect(await rootOf(kind, secondary.kernel)).toBe(await rootOf(kind, primary.kernel))
}

describe('the caches of a secondary', () => {
  it('do not hide replicated changes of namespaces, mounts and policies', async () => {
    const [primary, secondary] = await pair(PERFORMANCE)
    const { namespaces, mounts, policies } = primary.kernel
    await namespaces.createNamespace({ name: 'inner', custom_metadata: { team: 'old' } })
    await mounts.createMount({ path: 'more', type: 'kv', description: 'old' })
    await policies.writePolicy({ name: 'p', policy: 'path "old" { capabilities = ["read"] }' })
    await ticked(secondary.kernel)
    const shown = async ({ kernel }: Site) => [
      (await kernel.namespaces.readNamespace({ name: 'inner' })).custom_metadata,
      (await kernel.mounts.listMounts()).mounts['more/']?.description,
      (await kernel.policies.readPolicy({ name: 'p' })).policy,
    ]
    const before = await shown(secondary)
    expect(before).toEqual(await shown(primary))
    await namespaces.patchNamespace({ name: 'inner', custom_metadata: { team: 'new' } })
    await mounts.tuneMount({ path: 'more', description: 'new' })
    await policies.writePolicy({ name: 'p', policy: 'path "new" { capabilities = ["read"] }' })
    await ticked(secondary.kernel)
    const after = await shown(secondary)
    expect(after).toEqual(await shown(primary))
    for (const [at, one] of after.entries()) expect(one).not.toEqual(before[at])
  })

  it('do not hide a new secondary id that another kernel of the cluster received', async () => {
    const [primary, secondary] = await pair(PERFORMANCE)
    const secondKernel = await sites.openSecondKernel(secondary)
    expect((await secondKernel.kernel.replication.readStatus()).secondary_id).toBe('one')
    await secondary.kernel.replication.updatePrimary({ token: await tokenOf(PERFORMANCE, primary.kernel, 'other') })
    const seen = async () => (await secondKernel.kernel.replication.readStatus()).secondary_id
    await expect.poll(seen, { timeout: 60_000 }).toBe('other')
  })
})

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (name, kind) => {
  it('begins a new session as soon as the primary answers correctly again', async () => {
    let answer: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined
    const { network } = sites
    const flawed: ReplicationTransport = {
      listen: network.listen,
      request: (address, bytes, signal) => answer?.(bytes) ?? network.request(address, bytes, signal),
    }
    const [primary, secondary] = await pair(kind, { ports: { replication: flawed } })
    for (const wrong of [
      async () => new Uint8Array(0),
      async () => new Uint8Array(300).fill(7),
      async (bytes: Uint8Array) => bytes,
      () => Promise.reject(new Error('the line is cut')),
    ]) {
      answer = wrong
      for (let n = 0; n < 2; n++) await secondary.kernel.tick()
      expect(await kind.of(secondary.kernel).readStatus()).toMatchObject({ state: 'idle', last_error: expect.any(String) })
      answer = undefined
      await primary.kernel.kv.writeSecret({ path: 'next', data: { n: 1 } })
      await expectLevel(kind, primary, secondary)
    }
  })

  it('does not replicate the seal, key ring and claims of a store', async () => {
    const [primary, secondary] = await pair(kind)
    const own = async ({ storage }: Site) =>
      (await storage.scan('i/'))
        .map(({ key, version }) => [key, version] as const)
        .filter(([key]) => !/^i\/(?:replication|claim|guard)\/|^i\/core\/replication$/.test(key))
    const sealOf = async ({ kernel }: Site) => kernel.seal.status()
    const [before, seal] = [await own(secondary), await sealOf(secondary)]
    await primary.kernel.seal.rotate()
    await primary.kernel.kv.writeSecret({ path: 'next', data: { n: 1 } })
    await expectLevel(kind, primary, secondary)
    expect(before.length).toBeGreaterThan(1)
    expect(await own(secondary)).toEqual(before)
    expect(await sealOf(secondary)).toEqual(seal)
  })

  it('reports no secondaries on a new primary, and no primary after its demotion', async () => {
    const primary = await sites.open()
    await kind.of(primary.kernel).enablePrimary()
    expect(await kind.of(primary.kernel).readStatus()).toMatchObject({ known_secondaries: [], secondaries: [] })
    await kind.of(primary.kernel).demotePrimary()
    expect(await kind.of(primary.kernel).readStatus()).toMatchObject({ known_primary_cluster_addrs: [], primaries: [] })
  })

  it('never uses an epoch number twice, however often the roles change', async () => {
    let [firstSite, otherSite] = await pair(kind)
    const epochs: number[] = []
    for (let n = 0; n < 4; n++) {
      await kind.of(otherSite.kernel).promote({ force: true })
      await firstSite.kernel.kv.writeSecret({ path: `alone-${n}`, data: { n } })
      await kind.of(firstSite.kernel).demotePrimary()
      await kind.of(firstSite.kernel).updatePrimary({ token: await tokenOf(kind, otherSite.kernel, `back-${n}`) })
      await ticked(firstSite.kernel)
      for await (const { epoch } of kind.of(firstSite.kernel).exportLost()) epochs.push(epoch)
      await kind.of(firstSite.kernel).forgetLostWrites()
      ;[firstSite, otherSite] = [otherSite, firstSite]
    }
    const first = epochs.filter((epoch, at) => epoch !== epochs[at - 1])
    expect(first).toEqual([1, 2, 3, 4])
  })

  it('continues the numbers of key and secret versions after a promotion', async () => {
    const [primary, secondary] = await pair(kind)
    const { transit, kv2, mounts } = primary.kernel
    await mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
    await transit.createKey({ name: 'k' })
    for (let n = 0; n < 7; n++) {
      await transit.encrypt({ name: 'k', plaintext: new Uint8Array([n]) })
      await kv2.at('kv2/').writeSecret({ path: 'a', data: { n } })
    }
    await transit.rotateKey({ name: 'k' })
    await ticked(secondary.kernel)
    await kind.of(primary.kernel).demotePrimary()
    await kind.of(secondary.kernel).promote()
    const kernel = secondary.kernel
    expect((await kernel.kv2.at('kv2/').writeSecret({ path: 'a', data: { n: 7 } })).version).toBe(8)
    await kernel.transit.rotateKey({ name: 'k' })
    expect((await kernel.transit.readKey({ name: 'k' })).latest_version).toBe(3)
  })

  it.each([1, 700])('completes a sync with a log limited to %s bytes', async (maxBytes) => {
    const [primary, secondary] = await pair(kind, { replication: { log: { maxBytes } } })
    for (let n = 0; n < 5; n++) {
      for (let more = 0; more < 10; more++) await primary.kernel.kv.writeSecret({ path: `n/${more}`, data: { n } })
      await ticked(primary.kernel)
      await expectLevel(kind, primary, secondary)
    }
    expect((await primary.storage.list('i/replication/log/')).length).toBeLessThan(30)
  })

  it('continues after plugins were reloaded on either cluster', async () => {
    const [primary, secondary] = await pair(kind)
    const reload = ({ plugins }: Kernel) => plugins.reloadPlugins({ plugin: 'kv' })
    await reload(primary.kernel).catch(() => {})
    await primary.kernel.kv.writeSecret({ path: 'next', data: { n: 1 } })
    await reload(secondary.kernel).then(
      () => expect(name).toBe('performance'),
      ({ code }: { readonly code: string }) => expect(['ERR_DR_SECONDARY', 'ERR_INVALID_REQUEST']).toContain(code),
    )
    await expectLevel(kind, primary, secondary)
    if (name === 'performance') expect((await secondary.kernel.kv.readSecret({ path: 'next' })).data).toEqual({ n: 1 })
  })
})

it('a replication log with a limit of zero or an invalid limit is refused', async () => {
  for (const log of [{ maxBytes: 0 }, { maxBytes: -1 }, { maxBytes: Number.NaN }, { maxBytes: 2 ** 60 }, { maxAgeMs: 0 }])
    await expect(sites.open({ replication: { log } })).rejects.toThrow(/maxBytes and replication.log.maxAgeMs must be positive/)
})

it('the DR secondary of a performance secondary reports no peers, and becomes the performance secondary when promoted', async () => {
  const [, secondary] = await pair(PERFORMANCE)
  await secondary.kernel.replication.dr.enablePrimary()
  const mirror = await sites.open()
  await mirror.kernel.replication.dr.enableSecondary({ token: await tokenOf(DR, secondary.kernel, 'mirror') })
  await ticked(mirror.kernel)
  expect(await mirror.kernel.replication.readStatus()).toEqual({ mode: 'disabled' })
  await secondary.kernel.replication.dr.demotePrimary()
  await mirror.kernel.replication.dr.promote()
  expect(await mirror.kernel.replication.readStatus()).toMatchObject({ mode: 'secondary', secondary_id: 'one' })
  expect(await mirror.kernel.replication.dr.readStatus()).toMatchObject({ mode: 'primary', secondaries: [] })
})
