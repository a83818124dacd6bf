/** Source: reference, sections 5.0 to 5.4. */
import { describe, expect, it } from 'vitest'
import { openWorld } from './world.ts'

describe('a secret with an association', () => {
  it('is pushed by setAssociation, as JSON with sorted members', async () => {
    const { kernel, write, set, store, standing } = await openWorld()
    await write('app/db', { z: 1, a: { y: [1, { d: 1, c: 2 }], b: 12345678901234567890n }, é: 'ü' })
    expect(await set('app/db')).toEqual({ 'app/db': 'SYNCED' })
    expect([...store.values]).toEqual([['p/app/db', '{"a":{"b":12345678901234567890,"y":[1,{"c":2,"d":1}]},"z":1,"é":"ü"}']])
    expect(await standing()).toEqual({ 'app/db': 'SYNCED' })
    await kernel.close()
  })

  it('is pushed only once by the next tick, even after 20 changes', async () => {
    const { kernel, write, set, store, standing, settle } = await openWorld()
    await write('a', { n: 0 })
    await set('a')
    for (let n = 1; n <= 20; n++) await write('a', { n })
    expect(await standing()).toEqual({ a: 'PENDING' })
    await settle()
    expect(store.history.get('p/a')).toEqual(['{"n":0}', '{"n":20}'])
    expect(await standing()).toEqual({ a: 'SYNCED' })
    await kernel.close()
  })

  it('is replaced by its highest live version if the latest one is deleted, and removed if no version is live', async () => {
    const { kernel, write, set, store, standing, settle } = await openWorld()
    const kv = kernel.kv2.at('kv/')
    await write('a', { n: 1 })
    await write('a', { n: 2 })
    await set('a')
    await kv.deleteLatest({ path: 'a' })
    await settle()
    expect(store.values.get('p/a')).toBe('{"n":1}')
    await kv.destroyVersions({ path: 'a', versions: [1] })
    await settle()
    expect(store.values.size).toBe(0)
    expect(await standing()).toEqual({ a: 'UNSYNCED' })
    await kv.undeleteVersions({ path: 'a', versions: [2] })
    await settle()
    expect(store.values.get('p/a')).toBe('{"n":2}')
    expect(await standing()).toEqual({ a: 'SYNCED' })
    await kv.deleteMetadata({ path: 'a' })
    await settle()
    expect(store.values.size).toBe(0)
    await write('a', { n: 3 })
    await settle()
    expect(store.values.get('p/a')).toBe('{"n":3}')
    await kernel.close()
  })

  it('is removed from the destination when delete_version_after deletes its version', async () => {
    const { kernel, write, set, store, standing, pass } = await openWorld()
    await kernel.kv2.at('kv/').writeMetadata({ path: 'a', delete_version_after: '1h' })
    await write('a', { n: 1 })
    await set('a')
    await pass(3_599_000)
    expect(store.values.size).toBe(1)
    await pass(2_000)
    expect(store.values.size).toBe(0)
    expect(await standing()).toEqual({ a: 'UNSYNCED' })
    await kernel.close()
  })

  it('is removed from the destination when its association is removed, and not pushed again', async () => {
    const { kernel, write, set, remove, store, standing } = await openWorld()
    await write('a', { n: 1 })
    await set('a')
    expect(await remove('a')).toEqual({ a: 'UNSYNCED' })
    expect(store.values.size).toBe(0)
    expect(await standing()).toEqual({})
    expect(await remove('a')).toEqual({ a: 'UNSYNCED' })
    expect(await remove('never')).toEqual({ never: 'UNSYNCED' })
    await write('a', { n: 2 })
    expect((await kernel.tick()).done).toBe(0)
    await kernel.close()
  })

  it('keeps its association when its mount is moved', async () => {
    const { kernel, write, set, store, settle } = await openWorld()
    await write('a', { n: 1 })
    await set('a')
    await kernel.mounts.moveMount({ from: 'kv', to: 'other' })
    await kernel.kv2.at('other/').writeSecret({ path: 'a', data: { n: 2 } })
    await settle()
    expect(store.values.get('p/a')).toBe('{"n":2}')
    expect((await kernel.sync.listAssociations()).keys).toEqual(['other/a'])
    await kernel.close()
  })

  it('is removed from all destinations when its mount is disabled', async () => {
    const { kernel, write, set, store, vault, standing, settle } = await openWorld()
    for (const path of ['a', 'b', 'c']) {
      await write(path, { n: 1 })
      await set(path)
      await set(path, 'azure')
    }
    expect(vault.values.size).toBe(3)
    await kernel.mounts.deleteMount({ path: 'kv' })
    await settle()
    expect([store.values.size, vault.values.size]).toEqual([0, 0])
    expect(await standing()).toEqual({})
    await kernel.sync.deleteDestination({ type: 'cloud-a-sm', name: 'aws' })
    await kernel.close()
  })
})

describe('an association with granularity secret-key', () => {
  it('pushes each key separately: a string unchanged, and another value as JSON', async () => {
    const { kernel, write, set, repo, standing, settle } = await openWorld()
    await write('app', { user: 'me', port: 5432, on: true, none: null, list: [1, 'b'] })
    expect(await set('app', 'github')).toEqual({
      'app:user': 'SYNCED',
      'app:port': 'SYNCED',
      'app:on': 'SYNCED',
      'app:none': 'SYNCED',
      'app:list': 'SYNCED',
    })
    expect(Object.fromEntries(repo.values)).toEqual({
      APP_USER: 'me',
      APP_PORT: '5432',
      APP_ON: 'true',
      APP_NONE: 'null',
      APP_LIST: '[1,"b"]',
    })
    await write('app', { user: 'you', port: 5432, added: 'x' })
    const before = repo.calls.length
    await settle()
    expect(Object.fromEntries(repo.values)).toEqual({ APP_USER: 'you', APP_PORT: '5432', APP_ADDED: 'x' })
    // Unchanged keys cause no calls.
    expect(
      repo.calls
        .slice(before)
        .filter(({ call }) => call !== 'describe')
        .map(({ call, name }) => `${call} ${name}`)
        .sort(),
    ).toEqual(['put APP_ADDED', 'put APP_USER', 'remove APP_LIST', 'remove APP_NONE', 'remove APP_ON'].sort())
    expect(Object.keys(await standing('github')).sort()).toEqual(['app:added', 'app:port', 'app:user'])
    await kernel.kv2.at('kv/').deleteLatest({ path: 'app' })
    await kernel.kv2.at('kv/').deleteVersions({ path: 'app', versions: [1] })
    await settle()
    expect(repo.values.size).toBe(0)
    expect(await standing('github')).toEqual({ app: 'UNSYNCED' })
    await kernel.close()
  })

  it('pushes and removes 100 keys in several groups', async () => {
    const { kernel, set, write, repo, settle } = await openWorld()
    await write('app', Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, `${n}`])))
    await set('app', 'github')
    await settle()
    expect(repo.values.size).toBe(100)
    await kernel.sync.removeAssociation({ type: 'repohost', name: 'github', mount: 'kv', secret_name: 'app' })
    await settle()
    expect(repo.values.size).toBe(0)
    await kernel.close()
  })
})

it('the attempts of one push have the same operation id, which no other push has', async () => {
  const { kernel, write, set, store, pass, settle } = await openWorld()
  await write('a', { n: 1 })
  store.trouble({ call: 'put', manner: 'drops-after', times: 2 })
  const puts = () => store.calls.filter(({ call }) => call === 'put').map(({ opId }) => opId)
  await set('a')
  await pass(5000, 4)
  const [first, ...tried] = puts()
  expect(tried.length).toBeGreaterThanOrEqual(2)
  expect(new Set([first, ...tried]).size).toBe(1)
  for (const n of [2, 1, 2]) {
    await write('a', { n })
    await settle()
  }
  await set('a')
  const ids = puts().slice(tried.length)
  expect(ids.length).toBe(5)
  expect(new Set(ids).size).toBe(5)
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await kernel.close()
})
