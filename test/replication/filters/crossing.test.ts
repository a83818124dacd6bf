/** Data that a path filter excludes is neither sent nor kept. */
import { beforeEach, describe, expect, it } from 'vitest'
import { contentsOf, marked, mountsOf, type Site, Sites, settle, uuidOf } from './sites.ts'
import { Wiretap } from './wiretap.ts'

let tap: Wiretap
let sites: Sites

beforeEach(() => {
  tap = new Wiretap()
  sites = new Sites(tap)
})

/** Texts in the path of the mount, in its keys, in its values and in its description. */
const MARKS = ['hidden-mount', 'hidden/secret', 'hidden-value', 'hidden-description']

async function fill({ kernel }: Site, path: string): Promise<void> {
  await kernel.mounts.createMount({ path, type: 'kv', description: 'hidden-description' })
  for (let n = 0; n < 30; n++)
    await kernel.kv.at(path).writeSecret({ path: `hidden/secret-${n}`, data: { v: `hidden-value-${n}` } })
}

describe('a mount denied by a path filter', () => {
  it('is never sent to the secondary if the filter existed before the secondary joined', async () => {
    const primary = await sites.primary()
    await fill(primary, 'hidden-mount')
    const secondary = await sites.secondary(primary, 'one', { mode: 'deny', paths: ['hidden-mount', 'hidden-mount-2/'] })
    await primary.kernel.kv.at('hidden-mount').writeSecret({ path: 'hidden/secret-0', data: { v: 'hidden-value-again' } })
    await primary.kernel.kv.writeSecret({ path: 'shown', data: { v: 'shown-value' } })
    await settle(secondary)
    await fill(primary, 'hidden-mount-2')
    await primary.kernel.mounts.tuneMount({ path: 'hidden-mount-2', max_lease_ttl: '1h' })
    await settle(secondary)
    await primary.kernel.mounts.deleteMount({ path: 'hidden-mount-2' })
    await settle(primary, secondary)
    expect((await secondary.kernel.kv.readSecret({ path: 'shown' })).data).toEqual({ v: 'shown-value' })
    expect(marked(tap.crossed, 'shown-value').length).toBeGreaterThan(0)
    expect(marked(tap.crossed, ...MARKS, uuidOf(primary, '', 'hidden-mount/'))).toEqual([])
    expect(marked(await contentsOf(secondary), ...MARKS, uuidOf(primary, '', 'hidden-mount/'))).toEqual([])
    expect((await secondary.kernel.replication.readStatus()).last_error).toBeUndefined()
  })

  it('is removed from the secondary with all its records, and sent again when the filter is deleted', async () => {
    const primary = await sites.primary()
    await fill(primary, 'hidden-mount')
    const secondary = await sites.secondary(primary, 'one')
    const uuid = uuidOf(secondary, '', 'hidden-mount/')
    expect(marked(await contentsOf(secondary), ...MARKS).length).toBeGreaterThan(30)
    await primary.kernel.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: ['hidden-mount'] })
    tap.clear()
    await settle(secondary)
    expect(mountsOf(secondary)).not.toContain('hidden-mount/')
    await expect(secondary.kernel.kv.at('hidden-mount').readSecret({ path: 'hidden/secret-1' })).rejects.toMatchObject({
      status: 404,
    })
    expect(marked(tap.crossed, ...MARKS)).toEqual([])
    // The uuid may appear in claims and in logged deletions.
    expect(marked(await contentsOf(secondary), uuid).filter((text) => !/^(i\/claim|log \d+ (del|guard))/.test(text))).toEqual([])
    expect(marked(await contentsOf(secondary), ...MARKS)).toEqual([])
    await primary.kernel.kv.at('hidden-mount').writeSecret({ path: 'hidden/secret-1', data: { v: 'hidden-value-new' } })
    await settle(secondary)
    expect(marked(tap.crossed, ...MARKS)).toEqual([])
    await primary.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(secondary)
    const { data } = await secondary.kernel.kv.at('hidden-mount').readSecret({ path: 'hidden/secret-1' })
    expect(data).toEqual({ v: 'hidden-value-new' })
    expect((await secondary.kernel.kv.at('hidden-mount').listSecrets({ path: 'hidden' })).keys).toHaveLength(30)
    expect((await secondary.kernel.replication.readStatus()).merkle_root).toBe(
      (await primary.kernel.replication.readStatus()).merkle_root,
    )
  })
})

describe('a namespace denied by a path filter', () => {
  const NAMES = ['hidden-space', 'hidden-inner', 'hidden-policy', ...MARKS]

  async function fillSpace({ kernel }: Site): Promise<void> {
    await kernel.namespaces.createNamespace({ name: 'hidden-space', custom_metadata: { of: 'hidden-description' } })
    const inside = kernel.namespace('hidden-space/')
    await inside.namespaces.createNamespace({ name: 'hidden-inner' })
    await inside.policies.writePolicy({ name: 'hidden-policy', policy: 'path "hidden/secret" { capabilities = ["read"] }' })
    for (const space of [inside, kernel.namespace('hidden-space/hidden-inner/')]) {
      await space.mounts.createMount({ path: 'hidden-mount', type: 'kv', description: 'hidden-description' })
      await space.kv.at('hidden-mount').writeSecret({ path: 'hidden/secret', data: { v: 'hidden-value' } })
    }
  }

  it('is never sent to the secondary, not even its name, if the filter existed before the secondary joined', async () => {
    const primary = await sites.primary()
    const secondary = await sites.secondary(primary, 'one', { mode: 'deny', paths: ['hidden-space'] })
    tap.clear()
    await fillSpace(primary)
    await primary.kernel.kv.writeSecret({ path: 'shown', data: { v: 'shown-value' } })
    await settle(secondary)
    await primary.kernel.namespaces.patchNamespace({ name: 'hidden-space', custom_metadata: { of: 'hidden-description-2' } })
    await settle(secondary)
    expect(marked(tap.crossed, 'shown-value').length).toBeGreaterThan(0)
    expect(marked(tap.crossed, ...NAMES)).toEqual([])
    expect(marked(await contentsOf(secondary), ...NAMES)).toEqual([])
  })

  it('is removed from store, log and Merkle tree of the secondary, and sent again when the filter is deleted', async () => {
    const primary = await sites.primary()
    await fillSpace(primary)
    const secondary = await sites.secondary(primary, 'one')
    expect(marked(await contentsOf(secondary), ...NAMES).length).toBeGreaterThan(5)
    await primary.kernel.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: ['hidden-space/'] })
    tap.clear()
    await settle(secondary)
    await primary.kernel
      .namespace('hidden-space/')
      .kv.at('hidden-mount')
      .writeSecret({ path: 'hidden/secret', data: { v: 'hidden-value-new' } })
    await settle(secondary)
    expect(marked(tap.crossed, ...NAMES)).toEqual([])
    expect(marked(await contentsOf(secondary), ...NAMES)).toEqual([])
    await primary.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(secondary)
    const inside = secondary.kernel.namespace('hidden-space/')
    expect((await inside.kv.at('hidden-mount').readSecret({ path: 'hidden/secret' })).data).toEqual({ v: 'hidden-value-new' })
    expect((await secondary.kernel.replication.readStatus()).merkle_root).toBe(
      (await primary.kernel.replication.readStatus()).merkle_root,
    )
  })
})
