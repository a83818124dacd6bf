/** Changed and lost records of the Merkle tree, at every level, on the primary and on the secondary. */
import { describe, expect, it } from 'vitest'
import { type MemoryStorage, memoryStorage } from '../../../src/index.ts'
import { clusters, rootOf, tokenOf } from './cluster.ts'
import { heal, inspect, opened, secretsIn, write } from './damaged.ts'

describe('a damaged Merkle tree is repaired', () => {
  const treeIn = async (storage: MemoryStorage, level: string) => {
    const [domain] = (await secretsIn(storage)).map(({ key }) => key.split('/')[1])
    return (await storage.scan(`i/replication/tree/r/${domain}/${level}`))[0]
  }

  it.each(
    ['bucket', 'page', 'root'].flatMap((level) =>
      [0, 1].flatMap((at) => ['flipped', 'gone'].map((how) => [level, at, how] as const)),
    ),
  )('after damage to a %s record in store %i (%s)', async (level, at, how) => {
    const { primary, secondary, storages } = await opened()
    const entry = await treeIn(storages[at as 0 | 1], level)
    await write(storages[at as 0 | 1], entry?.key ?? '', how === 'gone' ? undefined : entry?.value.map((byte) => byte ^ 1))
    expect(await heal(primary, secondary)).toBeGreaterThan(0)
    expect((await treeIn(storages[at as 0 | 1], level))?.key).toBe(entry?.key)
    await primary.kv.writeSecret({ path: 's/0', data: { n: 'new' } })
    for (const kernel of [primary, secondary]) await kernel.tick()
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect((await secondary.kv.readSecret({ path: 's/0' })).data).toEqual({ n: 'new' })
  })

  it.each([0, 1, 2, 3])(
    'after damage while the secondary inspects all records, %i ticks after the start of the inspection',
    async (ticks) => {
      const { primary, secondary, storages } = await opened()
      // More records than one tick inspects.
      for (let n = 20; n < 400; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
      for (let tick = 0; tick <= ticks; tick++) await inspect(secondary)
      const [, storage] = storages
      const [domain] = (await secretsIn(storage)).map(({ key }) => key.split('/')[1])
      for (const { key, value } of await storage.scan(`i/replication/tree/r/${domain}/bucket/`))
        await write(
          storage,
          key,
          value.map((byte) => byte ^ 1),
        )
      await write(storage, (await secretsIn(storage))[0]?.key ?? '', undefined)
      await heal(primary, secondary)
      expect(await rootOf(secondary)).toBe(await rootOf(primary))
      expect(await secretsIn(storage)).toHaveLength(400)
      expect((await secondary.replication.merkleCheck()).details).toEqual([])
    },
  )

  it('after damage on the primary, so that a joining secondary still receives all records', async () => {
    const all = clusters()
    const storage = memoryStorage({ maxOps: 128 })
    const [primary, secondary] = [await all.make({ storage }), await all.make()]
    await primary.kv.writeSecret({ path: 's/0', data: { n: 0 } })
    await primary.replication.enablePrimary()
    await primary.tick()
    await write(storage, (await treeIn(storage, 'root'))?.key ?? '', undefined)
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    await heal(primary, secondary)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect((await secondary.kv.readSecret({ path: 's/0' })).data).toEqual({ n: 0 })
  })
})

describe('a secondary keeps records that the primary’s damaged Merkle tree lacks', () => {
  const LEVELS = { bucket: /\/bucket\//, page: /\/page\//, root: /\/root$/, domain: /./ }

  /** A pair in sync whose secondary will start a comparison, because it lacks one value. The tree records above that value have changed. */
  async function comparing(denied: readonly string[]) {
    const { primary, secondary, storages, open } = await opened()
    const before = new Map((await treeOf(storages[0])).map(({ key, value }) => [key, value]))
    const values = new Map((await secretsIn(storages[1])).map(({ key, version }) => [key, version]))
    await primary.kv.writeSecret({ path: 's/0', data: { n: 0, again: true } })
    await secondary.tick()
    const changed = (await secretsIn(storages[1])).find(({ key, version }) => values.get(key) !== version)?.key ?? ''
    await primary.mounts.createMount({ path: 'kept-away', type: 'kv' })
    await primary.kv.at('kept-away').writeSecret({ path: 'x', data: { n: 0 } })
    for (let n = 20; n < 40; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
    if (denied.length > 0) await primary.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: denied })
    for (let round = 0; round < 3; round++) await inspect(primary, secondary)
    await write(storages[1], changed, undefined)
    return { primary, secondary, storages, open, before, held: (await secretsIn(storages[1])).map(({ key }) => key) }
  }

  const treeOf = async (storage: MemoryStorage) => {
    const [domain] = (await secretsIn(storage)).map(({ key }) => key.split('/')[1])
    return await storage.scan(`i/replication/tree/r/${domain}/`)
  }

  const all = (['bucket', 'page', 'root', 'domain'] as const).flatMap((level) =>
    (['set back', 'gone'] as const).flatMap((how) =>
      [['the running kernel', []] as const, ['a kernel opened afterwards', ['kept-away']] as const].map(
        ([by, denied]) => [level, how, by, denied] as const,
      ),
    ),
  )

  it.each(all)(
    'if a %s record is %s, and %s reports the damage (excluded by a path filter: %j)',
    async (level, how, by, denied) => {
      const { primary, secondary, storages, open, before, held } = await comparing(denied)
      if (by === 'a kernel opened afterwards') await primary.close()
      for (const { key } of await treeOf(storages[0]))
        if (LEVELS[level].test(key)) await write(storages[0], key, how === 'gone' ? undefined : before.get(key))
      const now = by === 'a kernel opened afterwards' ? await open(storages[0], 1) : primary
      const said = new Set<string | undefined>()
      for (let round = 0; round < 20; round++) {
        await inspect(secondary)
        const left = new Set((await secretsIn(storages[1])).map(({ key }) => key))
        expect(held.filter((key) => !left.has(key))).toEqual([])
        said.add((await secondary.replication.readStatus()).last_error)
      }
      expect([...said]).toContainEqual(expect.stringContaining('Merkle tree of the primary is damaged'))
      await heal(now, secondary)
      expect((await secondary.replication.readStatus()).last_error).toBeUndefined()
      for (let n = 0; n < 40; n++) expect((await secondary.kv.readSecret({ path: `s/${n}` })).data).toMatchObject({ n })
      if (denied.length === 0) expect(await rootOf(secondary)).toBe(await rootOf(now))
      expect((await now.replication.merkleCheck()).details).toEqual([])
    },
  )
})

it.each(['mount', 'namespace'])(
  'a %s whose record is missing on the primary is not treated as excluded by a path filter',
  async (folder) => {
    const { primary, secondary, storages, open } = await opened()
    const inner = primary.namespace('inner')
    await primary.namespaces.createNamespace({ name: 'inner' })
    await inner.mounts.createMount({ path: 'more', type: 'kv' })
    await inner.kv.at('more').writeSecret({ path: 'x', data: { n: 0 } })
    await primary.mounts.createMount({ path: 'denied', type: 'kv' })
    await primary.replication.writePathsFilter({ id: 'one', mode: 'deny', paths: ['denied'] })
    for (let round = 0; round < 3; round++) for (const kernel of [primary, secondary]) await kernel.tick()
    const { uuid = '' } = (await inner.mounts.listMounts()).mounts['more/'] ?? {}
    const entries = await storages[0].scan(`r/core/${folder}/`)
    const entry = folder === 'mount' ? entries.find(({ key }) => key.endsWith(uuid)) : entries[0]
    expect(entry).toBeDefined()
    await primary.close()
    await write(storages[0], entry?.key ?? '', undefined)
    const now = await open(storages[0], 1)
    await write(storages[1], (await secretsIn(storages[1]))[0]?.key ?? '', undefined)
    await heal(now, secondary)
    expect((await now.replication.readStatus()).corrupted_merkle_tree).toBe(true)
    expect((await secondary.replication.readStatus()).last_error).toMatch('merkle-check')
    expect((await secondary.namespace('inner').kv.at('more').readSecret({ path: 'x' })).data).toEqual({ n: 0 })
  },
)

describe('the mounts of a new store are replaced by those of the primary although the Merkle roots of mounts are missing', () => {
  const MOUNT_ROOTS = /^i\/replication\/tree\/r\/[0-9a-f-]{36}\/root$/
  const loseMounts = async (storage: MemoryStorage) => {
    const roots = (await storage.list('i/replication/tree/')).filter((name) => MOUNT_ROOTS.test(`i/replication/tree/${name}`))
    expect(roots.length).toBeGreaterThanOrEqual(4)
    for (const name of roots) await write(storage, `i/replication/tree/${name}`, undefined)
  }

  it('on the joining cluster, which keeps a token that it created after it joined', async () => {
    const { primary, storages, open } = await opened()
    const storage = memoryStorage({ maxOps: 128 })
    const joins = await open(storage)
    await joins.replication.enableSecondary({ token: await tokenOf(primary, 'two') })
    // The primary is closed until the tree has been built.
    await primary.close()
    await joins.tick()
    await loseMounts(storage)
    const back = await open(storages[0], 1)
    await joins.tick()
    const { client_token: token } = await joins.tokens.createToken({ policies: ['default'] })
    await heal(back, joins)
    expect(await rootOf(joins)).toBe(await rootOf(back))
    expect((await joins.tokens.lookupToken({ token })).policies).toEqual(['default'])
  })

  it('on the primary, after the primary has repaired its Merkle tree', async () => {
    const { primary, storages, open } = await opened()
    await loseMounts(storages[0])
    const joins = await open(memoryStorage({ maxOps: 128 }))
    await joins.replication.enableSecondary({ token: await tokenOf(primary, 'two') })
    const { failed } = await joins.tick()
    expect(failed.map(({ error }) => error.message)).toEqual([expect.stringContaining('Merkle tree of the primary is damaged')])
    expect((await joins.replication.readStatus()).mode).toBe('secondary')
    await heal(primary, joins)
    expect(await rootOf(joins)).toBe(await rootOf(primary))
    expect((await joins.kv.readSecret({ path: 's/0' })).data).toEqual({ n: 0 })
  })
})
