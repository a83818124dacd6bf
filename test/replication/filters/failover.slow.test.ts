/** Filters after failovers: a new primary has the same filters, and a cluster that replaces a secondary has no more data than that. */
import { expect, it } from 'vitest'
import { drTokenOf } from '../dr/pair.ts'
import { contentsOf, marked, mountsOf, rootOf, type Site, Sites, settle, uuidOf } from './sites.ts'

const MARK = 'hidden-value'

const FILTER = { mode: 'deny', paths: ['hidden/'] } as const

async function fill({ kernel }: Site, path: string): Promise<void> {
  await kernel.mounts.createMount({ path, type: 'kv' })
  for (let n = 0; n < 20; n++) await kernel.kv.at(path).writeSecret({ path: `s/${n}`, data: { v: `${path}-value-${n}` } })
}

async function mirrorOf(sites: Sites, site: Site): Promise<Site> {
  await site.kernel.replication.dr.enablePrimary()
  const mirror = await sites.open()
  await mirror.kernel.replication.dr.enableSecondary({ token: await drTokenOf(site.kernel, 'mirror') })
  await settle(mirror)
  return mirror
}

const statesOf = ({ kernel }: Site): readonly string[] => {
  const states: string[] = []
  kernel.events.on('replication.state_changed', ({ state }) => states.push(state))
  return states
}

it.each([false, true])(
  "a path filter remains in effect after a promotion of the primary's DR secondary (forced: %s)",
  async (force) => {
    const sites = new Sites()
    const primary = await sites.primary()
    await fill(primary, 'shown')
    await fill(primary, 'hidden')
    const mirror = await mirrorOf(sites, primary)
    const secondary = await sites.secondary(primary, 'one', FILTER)
    const otherSite = await sites.secondary(primary, 'two', { mode: 'allow', paths: ['hidden'] })
    await settle(mirror, secondary, otherSite)
    // A DR secondary has no filter.
    expect(marked(await contentsOf(mirror), MARK).length).toBeGreaterThan(0)
    if (force) await primary.kernel.close()
    else await primary.kernel.replication.dr.demotePrimary()
    await mirror.kernel.replication.dr.promote({ force })
    const states = statesOf(secondary)
    expect((await mirror.kernel.replication.readPathsFilter({ id: 'one' })).mode).toBe('deny')
    await mirror.kernel.kv.at('hidden').writeSecret({ path: 'late', data: { v: `${MARK}-late` } })
    await mirror.kernel.kv.at('shown').writeSecret({ path: 'late', data: { v: 'shown-late' } })
    await settle(mirror, secondary, otherSite)
    if (!force) expect(states).not.toContain('merkle-diff')
    expect(mountsOf(secondary)).toEqual(mountsOf(mirror).filter((path) => path !== 'hidden/'))
    expect(mountsOf(otherSite)).toEqual(['hidden/'])
    expect(marked(await contentsOf(secondary), MARK)).toEqual([])
    expect((await secondary.kernel.kv.at('shown').readSecret({ path: 'late' })).data).toEqual({ v: 'shown-late' })
    expect((await otherSite.kernel.kv.at('hidden').readSecret({ path: 'late' })).data).toEqual({ v: `${MARK}-late` })
    expect(await mirror.kernel.replication.readDynamicFilter({ id: 'one' })).toMatchObject({
      dynamic_filtered_mounts: ['hidden/'],
    })
    for (const site of [secondary, otherSite])
      expect(await site.kernel.replication.readStatus()).toMatchObject({ state: 'stream-wals', lag: 0 })
    await mirror.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(mirror, secondary)
    expect(await rootOf(secondary)).toBe(await rootOf(mirror))
  },
)

it('data that a path filter removes from a secondary are also removed from the DR secondary of that secondary', async () => {
  const sites = new Sites()
  const primary = await sites.primary()
  await fill(primary, 'shown')
  await fill(primary, 'hidden')
  const secondary = await sites.secondary(primary, 'one')
  const mirror = await mirrorOf(sites, secondary)
  await primary.kernel.kv.at('hidden').writeSecret({ path: 'more', data: { v: MARK } })
  await settle(secondary, mirror)
  expect(marked(await contentsOf(mirror), MARK).length).toBeGreaterThan(0)
  await primary.kernel.replication.writePathsFilter({ id: 'one', ...FILTER })
  await settle(secondary, mirror)
  // The log is truncated when the trees of both kinds of replication contain its entries.
  await sites.clock.advance(5000)
  await settle(secondary, mirror)
  expect(marked(await contentsOf(secondary), MARK)).toEqual([])
  await secondary.kernel.replication.dr.demotePrimary()
  await mirror.kernel.replication.dr.promote()
  await settle(mirror)
  expect(mountsOf(mirror)).toEqual(mountsOf(primary).filter((path) => path !== 'hidden/'))
  expect(marked(await contentsOf(mirror), MARK)).toEqual([])
  const filtered = await sites.secondary(primary, 'two', FILTER)
  expect(await rootOf(mirror)).toBe(await rootOf(filtered))
  await expect(mirror.kernel.replication.promote({})).rejects.toMatchObject({ status: 400 })
})

it('a secondary that follows a new primary with the same path filter never stores excluded records', async () => {
  const sites = new Sites()
  const primary = await sites.primary()
  await fill(primary, 'shown')
  await fill(primary, 'hidden')
  const next = await sites.secondary(primary, 'next')
  const secondary = await sites.secondary(primary, 'one', FILTER)
  await primary.kernel.replication.demotePrimary()
  await next.kernel.replication.promote({})
  const { wrap_info } = await next.kernel.replication.createSecondaryToken({ id: 'one' })
  await next.kernel.replication.writePathsFilter({ id: 'one', ...FILTER })
  const commits: string[] = []
  const { storage } = secondary.internals.host.store
  const commit = storage.commit.bind(storage)
  storage.commit = (ops, ...more) => {
    commits.push(...ops.flatMap((op) => ('key' in op ? [op.key] : [])))
    return commit(ops, ...more)
  }
  await secondary.kernel.replication.updatePrimary({ token: wrap_info?.token ?? '' })
  await next.kernel.kv.at('hidden').writeSecret({ path: 'late', data: { v: `${MARK}-late` } })
  await next.kernel.kv.at('shown').writeSecret({ path: 'late', data: { v: 'shown-late' } })
  await settle(next, secondary)
  expect(commits.length).toBeGreaterThan(0)
  expect(marked(commits, uuidOf(next, '', 'hidden/'))).toEqual([])
  expect(marked(await contentsOf(secondary), MARK)).toEqual([])
  expect((await secondary.kernel.kv.at('shown').readSecret({ path: 'late' })).data).toEqual({ v: 'shown-late' })
})
