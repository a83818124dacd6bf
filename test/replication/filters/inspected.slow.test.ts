/** Merkle checks and reindexes of a filtered secondary: excluded data is not reported as a fault, and does not come back. */
import { beforeEach, describe, expect, it } from 'vitest'
import { write } from '../inspect/faults.ts'
import { contentsOf, marked, mountsOf, rootOf, type Site, Sites, settle, uuidOf } from './sites.ts'

const FILTER = { mode: 'deny', paths: ['hidden/'] } as const

let sites: Sites
let primary: Site
let secondary: Site
/** The records of the excluded mount in the secondary's store. */
let before: ReadonlyMap<string, Uint8Array>

async function fill({ kernel }: Site, path: string): Promise<void> {
  await kernel.mounts.createMount({ path, type: 'kv' })
  for (let n = 0; n < 20; n++) await kernel.kv.at(path).writeSecret({ path: `s/${n}`, data: { v: `${path}-value-${n}` } })
}

const recordsOf = async ({ storage }: Site, uuid: string): Promise<ReadonlyMap<string, Uint8Array>> =>
  new Map((await storage.scan(`r/${uuid}/`)).map(({ key, value }) => [key, value]))

beforeEach(async () => {
  sites = new Sites()
  primary = await sites.primary()
  await fill(primary, 'shown')
  await fill(primary, 'hidden')
  secondary = await sites.secondary(primary, 'one')
  before = await recordsOf(secondary, uuidOf(primary, '', 'hidden/'))
  expect(before.size).toBe(20)
  await primary.kernel.replication.writePathsFilter({ id: 'one', ...FILTER })
  await settle(secondary)
})

/** Whether the cluster has the same root as a new secondary with that filter. */
async function isAsNew(): Promise<boolean> {
  const fresh = await sites.secondary(primary, 'fresh', FILTER)
  return (await rootOf(secondary)) === (await rootOf(fresh))
}

async function clean({ kernel }: Site): Promise<void> {
  const { merkle_corruption_report: report, details } = await kernel.replication.merkleCheck()
  expect(details).toEqual([])
  expect(report.corrupted_root).toBe(false)
  expect(report.corrupted_tree_map['1']).toMatchObject({ corrupted_subtree_root: false, corrupted_index_tuples_map: null })
}

/** Ticks until every record was inspected, and counts the reported faults. */
async function heal(): Promise<number> {
  let reports = 0
  for (const { kernel } of [primary, secondary]) kernel.events.on('replication.diverged', () => void reports++)
  for (let round = 0; round < 10; round++) await settle(primary, secondary)
  return reports
}

describe('checking or reindexing a secondary with a path filter', () => {
  it('finds no fault and restores nothing of an excluded mount', async () => {
    await clean(secondary)
    await clean(primary)
    await secondary.kernel.replication.reindex()
    expect(await heal()).toBe(0)
    await clean(secondary)
    expect(mountsOf(secondary)).not.toContain('hidden/')
    expect(marked(await contentsOf(secondary), 'hidden-value')).toEqual([])
    expect((await secondary.kernel.replication.readStatus()).last_error).toBeUndefined()
    expect(await isAsNew()).toBe(true)
  })

  it('finds and removes excluded records that reappeared in its store', async () => {
    const [[key, value] = ['', undefined]] = before
    await write(secondary.storage, key, value)
    expect((await secondary.kernel.replication.merkleCheck()).details).toEqual([{ key, fault: 'added' }])
    await heal()
    await clean(secondary)
    expect(marked(await contentsOf(secondary), 'hidden-value')).toEqual([])
    expect(await isAsNew()).toBe(true)
  })

  it('repairs an admitted record, and restores no excluded record', async () => {
    const [[key] = ['']] = await recordsOf(secondary, uuidOf(secondary, '', 'shown/'))
    await write(secondary.storage, key, undefined)
    expect((await secondary.kernel.replication.merkleCheck()).details).toEqual([{ key, fault: 'missing' }])
    await heal()
    await clean(secondary)
    expect(mountsOf(secondary)).not.toContain('hidden/')
    expect(marked(await contentsOf(secondary), 'hidden-value')).toEqual([])
    expect(await isAsNew()).toBe(true)
  })
})

it('damage in an excluded mount is reported on the primary, and does not affect a secondary without the mount', async () => {
  const [[key] = ['']] = await recordsOf(primary, uuidOf(primary, '', 'hidden/'))
  await write(primary.storage, key, undefined)
  const root = await rootOf(secondary)
  expect((await primary.kernel.replication.merkleCheck()).details).toEqual([{ key, fault: 'missing' }])
  await heal()
  expect((await primary.kernel.replication.readStatus()).corrupted_merkle_tree).toBe(true)
  expect(await rootOf(secondary)).toBe(root)
  await clean(secondary)
  await primary.kernel.kv.at('shown').writeSecret({ path: 'later', data: { a: 1 } })
  await settle(secondary)
  expect((await secondary.kernel.kv.at('shown').readSecret({ path: 'later' })).data).toEqual({ a: 1 })
  expect(marked(await contentsOf(secondary), 'hidden-value')).toEqual([])
})
