/** Mounts and namespaces that a filter excludes and admits again: the order of changes, dependent records, and requests. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Op } from '../../../src/index.ts'
import { contentsOf, type Filter, marked, mountsOf, rootOf, type Site, Sites, settle, uuidOf } from './sites.ts'

let sites: Sites
let primary: Site
let secondary: Site

beforeEach(async () => {
  sites = new Sites()
  primary = await sites.primary()
  secondary = await sites.secondary(primary, 'one')
})
afterEach(async () => {
  await Promise.all([primary.kernel.close(), secondary.kernel.close()])
})

const filter = (filter: Filter) => primary.kernel.replication.writePathsFilter({ id: 'one', ...filter })

async function fill(site: Site, path: string, count = 200): Promise<void> {
  await site.kernel.mounts.createMount({ path, type: 'kv' })
  for (let n = 0; n < count; n++) await site.kernel.kv.at(path).writeSecret({ path: `s/${n}`, data: { n } })
}

/** Records the ops of each commit from now on. */
function commitsOf({ internals }: Site): readonly (readonly Op[])[] {
  const { storage } = internals.host.store
  const commits: (readonly Op[])[] = []
  const commit = storage.commit.bind(storage)
  storage.commit = (ops, ...more) => {
    commits.push(ops)
    return commit(ops, ...more)
  }
  return commits
}

const touching = (commits: readonly (readonly Op[])[], op: Op['op'], prefix: string): readonly number[] =>
  commits.flatMap((ops, at) =>
    ops.some((candidate) => candidate.op === op && 'key' in candidate && candidate.key.startsWith(prefix)) ? [at] : [],
  )

describe('a secondary whose path filter changes', () => {
  it("deletes the mount record before the mount's data, and stores the data before the mount record", async () => {
    await fill(primary, 'kv')
    await settle(secondary)
    const uuid = uuidOf(primary, '', 'kv/')
    const commits = commitsOf(secondary)
    await filter({ mode: 'deny', paths: ['kv'] })
    await settle(secondary)
    const [mount, data] = [touching(commits, 'del', `r/core/mount/${uuid}`), touching(commits, 'del', `r/${uuid}/`)]
    expect(data.length).toBeGreaterThan(2)
    expect(mount[0]).toBeLessThan(data[0] as number)
    const gone = commits.length
    await primary.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(secondary)
    const back = commits.slice(gone)
    const [again, whole] = [touching(back, 'put', `r/core/mount/${uuid}`), touching(back, 'put', `r/${uuid}/`)]
    expect(whole.length).toBeGreaterThan(2)
    expect(again[0]).toBeGreaterThan(whole.at(-1) as number)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it('removes a mount that is moved to a hidden path, and receives all data of a mount that is moved from a hidden path', async () => {
    await filter({ mode: 'deny', paths: ['dark'] })
    await fill(primary, 'light', 20)
    await settle(secondary)
    await primary.kernel.mounts.moveMount({ from: 'light', to: 'dark' })
    await primary.kernel.kv.at('dark').writeSecret({ path: 'in-the-dark', data: { a: 1 } })
    await settle(secondary)
    expect(mountsOf(secondary)).not.toContain('light/')
    expect(marked(await contentsOf(secondary), 'dark', 's/1')).toEqual([])
    await primary.kernel.mounts.moveMount({ from: 'dark', to: 'bright' })
    await settle(secondary)
    expect((await secondary.kernel.kv.at('bright').readSecret({ path: 'in-the-dark' })).data).toEqual({ a: 1 })
    expect((await secondary.kernel.kv.at('bright').listSecrets({ path: 's' })).keys).toHaveLength(20)
    expect(marked(await contentsOf(secondary), '"dark/"')).toEqual([])
  })

  it('keeps the records of a new mount while excluded mounts are created and deleted', async () => {
    await filter({ mode: 'deny', paths: ['dark', 'other'] })
    await settle(secondary)
    for (let n = 0; n < 10; n++) {
      await fill(primary, `kv-${n}`, 3)
      await primary.kernel.mounts.createMount({ path: 'dark', type: 'kv' })
      await secondary.kernel.tick()
      expect((await secondary.kernel.kv.at(`kv-${n}`).listSecrets({ path: 's' })).keys).toHaveLength(3)
      await primary.kernel.mounts.deleteMount({ path: 'dark' })
    }
  })
})

describe('a secondary with a path filter', () => {
  it('streams the log while excluded mounts are created and deleted', async () => {
    await filter({ mode: 'deny', paths: ['dark'] })
    await settle(secondary)
    const states: string[] = []
    const diverged: number[] = []
    secondary.kernel.events.on('replication.state_changed', ({ state }) => void states.push(state))
    secondary.kernel.events.on('replication.diverged', ({ lost }) => void diverged.push(lost))
    for (let n = 0; n < 5; n++) {
      await fill(primary, 'dark', 5)
      await primary.kernel.kv.writeSecret({ path: `a/${n}`, data: { n } })
      await settle(secondary, primary)
      await primary.kernel.mounts.tuneMount({ path: 'dark', max_lease_ttl: '2h' })
      await primary.kernel.mounts.deleteMount({ path: 'dark' })
      await settle(secondary, primary)
    }
    await sites.clock.advance(0)
    expect(states).toEqual([])
    expect(diverged).toEqual([])
    expect((await secondary.kernel.kv.listSecrets({ path: 'a' })).keys).toHaveLength(5)
  })

  it('finds a lost record by comparing the Merkle root of its admitted records', async () => {
    await filter({ mode: 'deny', paths: ['dark'] })
    await fill(primary, 'dark', 5)
    for (let n = 0; n < 5; n++) await primary.kernel.kv.writeSecret({ path: `a/${n}`, data: { n } })
    await settle(secondary, primary)
    const lost = (await secondary.storage.scan(`r/${uuidOf(secondary, '', 'secret/')}/`)).find(({ key }) => key.endsWith('a/3'))
    expect(lost).toBeDefined()
    await secondary.storage.commit([{ op: 'del', key: lost?.key as string }], 'behind its back')
    for (let n = 0; n < 30; n++) {
      await sites.clock.advance(1000)
      await secondary.kernel.tick()
      await primary.kernel.tick()
    }
    expect((await secondary.kernel.kv.readSecret({ path: 'a/3' })).data).toEqual({ n: 3 })
    expect((await secondary.kernel.replication.readStatus()).state).toBe('stream-wals')
  })

  it('receives a record that is longer than a message, and no excluded part of the log', async () => {
    await filter({ mode: 'deny', paths: ['dark'] })
    await fill(primary, 'dark', 1)
    await settle(secondary)
    await primary.kernel.kv.writeSecret({ path: 'large', data: { v: 'x'.repeat(1_500_000) } })
    await primary.kernel.kv.at('dark').writeSecret({ path: 'large', data: { v: 'dark'.repeat(400_000) } })
    await settle(secondary)
    expect((await secondary.kernel.kv.readSecret({ path: 'large' })).data).toEqual({ v: 'x'.repeat(1_500_000) })
    expect(marked(await contentsOf(secondary), 'darkdark')).toEqual([])
  })
})

describe('the namespaces of a path filter', () => {
  beforeEach(async () => {
    const { kernel } = primary
    await kernel.namespaces.createNamespace({ name: 'outer' })
    await kernel.namespace('outer').namespaces.createNamespace({ name: 'inner' })
    await kernel.namespace('outer').policies.writePolicy({ name: 'outer-policy', policy: 'path "a" { capabilities = ["read"] }' })
    await kernel
      .namespace('outer/inner')
      .policies.writePolicy({ name: 'inner-policy', policy: 'path "a" { capabilities = ["read"] }' })
    for (const path of ['outer', 'outer/inner']) {
      await kernel.namespace(path).mounts.createMount({ path: 'kv', type: 'kv' })
      await kernel.namespace(path).kv.at('kv').writeSecret({ path: 'a', data: { path } })
    }
    await settle(secondary)
  })

  it('are excluded with everything below them, and sent again when they are admitted', async () => {
    const { kernel } = secondary
    await kernel.namespace('outer').tokens.createToken({ policies: ['default'] })
    await kernel.namespace('outer').mounts.createMount({ path: 'own', type: 'kv', local: true })
    await filter({ mode: 'deny', paths: ['outer/'] })
    await settle(secondary)
    expect(secondary.internals.topology.namespaces.below('')).toEqual([])
    expect(marked(await contentsOf(secondary), 'outer', 'inner')).toEqual([])
    await primary.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(secondary)
    for (const path of ['outer', 'outer/inner'])
      expect((await kernel.namespace(path).kv.at('kv').readSecret({ path: 'a' })).data).toEqual({ path })
    // Due work from the time of its exclusion has not deleted the namespace.
    const { client_token } = await kernel.namespace('outer').tokens.createToken({ policies: ['default'] })
    await settle(secondary)
    expect((await kernel.namespace('outer').tokens.lookupToken({ token: client_token })).policies).toEqual(['default'])
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it("include the parents of an allowed namespace, without the parents' own data", async () => {
    await filter({ mode: 'allow', paths: ['outer/inner', 'secret'] })
    await settle(secondary)
    const { kernel } = secondary
    expect((await kernel.namespace('outer/inner').kv.at('kv').readSecret({ path: 'a' })).data).toEqual({ path: 'outer/inner' })
    expect(mountsOf(secondary)).toEqual(['outer/inner/kv/', 'secret/'])
    expect(marked(await contentsOf(secondary), 'outer-policy')).toEqual([])
    expect(marked(await contentsOf(secondary), 'inner-policy').length).toBeGreaterThan(0)
    expect(await primary.kernel.replication.readDynamicFilter({ id: 'one' })).toEqual({
      dynamic_filtered_mounts: ['auth/orchestrator/', 'cloud/', 'database/', 'outer/kv/', 'transit/'],
      dynamic_filtered_namespaces: [],
    })
  })
})

describe('a request to a secondary with a path filter', () => {
  it('for an excluded mount fails with status 404 and is not forwarded', async () => {
    await fill(primary, 'dark', 2)
    await primary.kernel.policies.writePolicy({
      name: 'all',
      policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }',
    })
    await settle(secondary)
    const { client_token } = await secondary.kernel.tokens.createToken({ policies: ['all'] })
    const send = async (method: string, path: string) =>
      (
        await secondary.kernel.handle({
          method,
          path,
          headers: { 'X-Service-Token': client_token },
          ...(method === 'POST' ? { body: { a: 'forwarded' } } : {}),
        })
      ).status
    expect(await send('POST', '/v1/dark/s/0')).toBe(204)
    await filter({ mode: 'deny', paths: ['dark'] })
    await settle(secondary)
    const before = (await primary.kernel.replication.readStatus()).last_wal
    for (const method of ['GET', 'POST', 'DELETE', 'LIST']) expect(await send(method, '/v1/dark/s/1'), method).toBe(404)
    expect((await primary.kernel.replication.readStatus()).last_wal).toBe(before)
    // Writes to another mount still succeed.
    expect(await send('POST', '/v1/secret/s/1')).toBe(204)
  })

  it('for a mount that was just excluded is forwarded, and fails with status 404 on the primary', async () => {
    await fill(primary, 'dark', 2)
    await settle(secondary)
    await filter({ mode: 'deny', paths: ['dark'] })
    // The secondary does not know the filter yet.
    await expect(secondary.kernel.kv.at('dark').writeSecret({ path: 's/0', data: { a: 1 } })).rejects.toMatchObject({
      status: 404,
    })
    expect((await primary.kernel.kv.at('dark').readSecret({ path: 's/0' })).data).toEqual({ n: 0 })
  })
})

it('an error that the primary returns to a secondary contains no excluded name', async () => {
  await primary.kernel.mounts.createMount({ path: 'dark/hidden', type: 'kv' })
  await filter({ mode: 'deny', paths: ['dark/hidden'] })
  await settle(secondary)
  const refused = await secondary.kernel.mounts.createMount({ path: 'dark', type: 'kv' }).catch((error: Error) => error)
  expect(refused).toMatchObject({ status: 400 })
  expect((refused as Error).message).not.toMatch(/hidden/)
})

describe('a secondary with a path filter', () => {
  it('can be promoted only by force, and is then warned about the missing data', async () => {
    await fill(primary, 'dark', 2)
    await filter({ mode: 'deny', paths: ['dark'] })
    await settle(secondary)
    await primary.kernel.replication.demotePrimary()
    await settle(secondary)
    await expect(secondary.kernel.replication.promote()).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/filter/),
    })
    const { warnings } = await secondary.kernel.replication.promote({ force: true })
    expect(warnings).toEqual(expect.arrayContaining([expect.stringMatching(/path filter hid/)]))
    const { wrap_info } = await secondary.kernel.replication.createSecondaryToken({ id: 'old' })
    await primary.kernel.replication.updatePrimary({ token: wrap_info?.token ?? '' })
    await settle(primary)
    expect(await rootOf(primary)).toBe(await rootOf(secondary))
    expect(mountsOf(primary)).not.toContain('dark/')
  })

  it('continues to apply a new filter after a crash at any commit', async () => {
    await fill(primary, 'dark', 30)
    await settle(secondary)
    await filter({ mode: 'deny', paths: ['dark'] })
    const { storage } = secondary.internals.host.store
    const commit = storage.commit.bind(storage)
    for (let allowed = 0; ; allowed++) {
      let left = allowed
      let died = false
      storage.commit = (...args) => {
        if (left-- > 0) return commit(...args)
        died = true
        return Promise.reject(new Error('it died'))
      }
      await secondary.kernel.tick().catch(() => {})
      if (!died) break
    }
    storage.commit = commit
    await settle(secondary)
    expect(marked(await contentsOf(secondary), 'dark', 's/1')).toEqual([])
    await primary.kernel.replication.deletePathsFilter({ id: 'one' })
    await settle(secondary)
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    expect((await secondary.kernel.kv.at('dark').listSecrets({ path: 's' })).keys).toHaveLength(30)
  })
})
