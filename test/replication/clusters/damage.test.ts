import { describe, expect, it } from 'vitest'
import { rootOf } from './cluster.ts'
import { heal, opened, secretsIn, write } from './damaged.ts'

describe('damage to a record in a store', () => {
  it.each([
    ['a changed value', (value: Uint8Array) => value.map((byte, at) => (at === value.length - 1 ? byte ^ 1 : byte))],
    ['a missing value', () => undefined],
  ])('on the secondary is found and repaired: %s', async (_, change) => {
    const { primary, secondary, storages } = await opened()
    const [entry] = await secretsIn(storages[1])
    await write(storages[1], entry?.key ?? '', change(entry?.value ?? new Uint8Array()))
    expect(await heal(primary, secondary)).toBeGreaterThan(0)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    for (let n = 0; n < 20; n++) expect((await secondary.kv.readSecret({ path: `s/${n}` })).data).toEqual({ n })
  })

  it('on the secondary is found and repaired: an older value', async () => {
    const { primary, secondary, storages } = await opened()
    const before = await secretsIn(storages[1])
    for (let n = 0; n < 20; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n: n + 100 } })
    await secondary.tick()
    await write(storages[1], before[3]?.key ?? '', before[3]?.value)
    expect(await heal(primary, secondary)).toBeGreaterThan(0)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    for (let n = 0; n < 20; n++) expect((await secondary.kv.readSecret({ path: `s/${n}` })).data).toEqual({ n: n + 100 })
  })

  it.each([
    ['a mount, by the running kernel', 'mount', false],
    ['a mount, by a kernel opened afterwards', 'mount', true],
    ['a namespace, by the running kernel', 'namespace', false],
    ['a namespace, by a kernel opened afterwards', 'namespace', true],
  ] as const)('on the secondary is found and repaired: the record of %s', async (_, folder, isOpenedAnew) => {
    const { primary, secondary, storages, open } = await opened()
    await primary.namespaces.createNamespace({ name: 'inner' })
    await primary.mounts.createMount({ path: 'more', type: 'kv' })
    await primary.kv.at('more').writeSecret({ path: 'x', data: { a: 1 } })
    await secondary.tick()
    const uuid = (await primary.mounts.listMounts()).mounts['more/']?.uuid ?? ''
    const found = await storages[1].scan(`r/core/${folder}/`)
    const entry = folder === 'mount' ? found.find(({ key }) => key.endsWith(uuid)) : found[0]
    if (isOpenedAnew) await secondary.close()
    await write(
      storages[1],
      entry?.key ?? '',
      entry?.value.map((byte, at) => (at === 9 ? byte ^ 1 : byte)),
    )
    const now = isOpenedAnew ? await open(storages[1]) : secondary
    await heal(primary, now)
    expect(await rootOf(now)).toBe(await rootOf(primary))
    expect((await now.kv.at('more').readSecret({ path: 'x' })).data).toEqual({ a: 1 })
    expect((await now.namespaces.readNamespace({ name: 'inner' })).path).toBe('inner/')
    expect((await now.replication.merkleCheck()).details).toEqual([])
  })

  it('on the primary is reported, and replicated only after the operator has accepted it with reindex', async () => {
    const { primary, secondary, storages } = await opened()
    const [entry] = await secretsIn(storages[0])
    await write(storages[0], entry?.key ?? '', undefined)
    expect(await heal(primary, secondary)).toBeGreaterThan(0)
    expect((await primary.replication.readStatus()).corrupted_merkle_tree).toBe(true)
    expect((await secondary.replication.readStatus()).last_error).toMatch('merkle-check')
    expect(await secretsIn(storages[1])).toHaveLength(20)
    await primary.replication.reindex()
    await heal(primary, secondary)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect(await secretsIn(storages[1])).toHaveLength(19)
    expect((await primary.replication.readStatus()).corrupted_merkle_tree).toBe(false)
    expect((await secondary.replication.readStatus()).last_error).toBeUndefined()
  })

  it('on the primary is reported until a request writes the record again', async () => {
    const { primary, secondary, storages } = await opened()
    const entries = await secretsIn(storages[0])
    await write(
      storages[0],
      entries[0]?.key ?? '',
      entries[0]?.value.map((byte) => byte ^ 1),
    )
    await heal(primary, secondary)
    for (let n = 0; n < 20; n++) {
      expect((await secondary.kv.readSecret({ path: `s/${n}` })).data).toEqual({ n })
      await primary.kv.writeSecret({ path: `s/${n}`, data: { n: 'again' } })
    }
    await heal(primary, secondary)
    expect((await primary.replication.readStatus()).corrupted_merkle_tree).toBe(false)
    expect((await secondary.replication.readStatus()).last_error).toBeUndefined()
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })
})

it('a secondary runs a Merkle sync if the log of its primary is damaged', async () => {
  const { primary, secondary, storages } = await opened()
  await primary.kv.writeSecret({ path: 's/0', data: { n: 'new' } })
  for (const { key, value } of await storages[0].scan('i/replication/log/'))
    await write(
      storages[0],
      key,
      value.map((byte) => byte ^ 1),
    )
  for (let round = 0; round < 3; round++) for (const kernel of [primary, secondary]) await kernel.tick()
  expect(await rootOf(secondary)).toBe(await rootOf(primary))
  expect((await secondary.kv.readSecret({ path: 's/0' })).data).toEqual({ n: 'new' })
})

it('a secondary whose Merkle tree lacks entries of the log can be promoted after it has rebuilt the tree', async () => {
  const { primary, secondary, storages } = await opened()
  const folded = 'i/replication/folded'
  const before = await storages[1].get(folded)
  for (let n = 0; n < 5; n++) {
    await primary.kv.writeSecret({ path: `s/${n}`, data: { n: n + 100 } })
    await secondary.tick()
  }
  // The state as if the tree had not included the entries, and the log no longer had them.
  await write(storages[1], folded, before?.value)
  const log = await storages[1].list('i/replication/log/')
  for (const name of log.slice(0, -1)) await write(storages[1], `i/replication/log/${name}`, undefined)
  await primary.replication.demotePrimary()
  await secondary.replication.promote()
  expect((await secondary.replication.readStatus()).mode).toBe('primary')
  expect((await secondary.kv.readSecret({ path: 's/4' })).data).toEqual({ n: 104 })
})
