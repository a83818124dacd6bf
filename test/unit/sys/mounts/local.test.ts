/** Local mounts have no records in class `r`, which is replicated, and otherwise behave like all other mounts. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage, verifyAudit } from '../../../../src/index.ts'
import { chaoticStorage, fakeClock, fakeDatabasePlugin, seededEntropy } from '../../../../src/testing/index.ts'
import { asker, keysOf, openOn, turns } from './support.ts'

const HOUR = 3_600_000

/** Fills mounts of every engine. The result depends on `local` only in the class of the records. */
async function fill(kernel: Kernel, prefix: string, local: boolean): Promise<readonly string[]> {
  const ask = asker(kernel)
  const types = { kv: 'kv', kv2: 'kv', transit: 'transit', database: 'database' }
  const uuids: string[] = []
  for (const [name, type] of Object.entries(types)) {
    const options = name === 'kv2' ? { version: '2' } : {}
    expect((await ask('POST', `sys/mounts/${prefix}${name}`, { type, local, options })).status).toBe(204)
    uuids.push((await ask('GET', `sys/mounts/${prefix}${name}`)).data?.['uuid'] as string)
  }
  await ask('POST', `sys/auth/${prefix}cluster`, { type: 'orchestrator', local })
  uuids.push(((await ask('GET', 'sys/auth')).data as Record<string, { uuid: string }>)[`${prefix}cluster/`]!.uuid)
  const post = async (path: string, body: object) => {
    const { status, errors } = await ask('POST', prefix + path, body)
    expect([path, errors, status < 300]).toEqual([path, undefined, true])
  }
  await post('kv/a/b', { v: 1 })
  for (const v of [1, 2]) await post('kv2/data/a', { data: { v } })
  await post('kv2/config', { max_versions: 3 })
  await post('transit/keys/k', { auto_rotate_period: '1h' })
  await post('transit/encrypt/k', { plaintext: '' })
  await post('transit/config/keys', { disable_upsert: true })
  await post('database/config/main', {
    plugin_name: 'fake',
    allowed_roles: ['*'],
    connection_url: 'there',
    username: 'root',
    password: 'root-password',
  })
  await post('database/roles/app', { db_name: 'main', creation_statements: ['make'] })
  await post('database/static-roles/known', { db_name: 'main', username: `alice-${prefix}`, rotation_period: '1h' })
  return uuids
}

const withDatabase = (clock = fakeClock()) => {
  const fake = fakeDatabasePlugin({ clock })
  for (const prefix of ['here-', 'all-']) fake.addUser(`alice-${prefix}`, 'before')
  return { clock, ports: { databases: { fake } } }
}

/** The keys of mounts with placeholders for random uuids and key ids. */
const shapes = async (storage: Storage, uuids: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = []
  for (const uuid of uuids)
    for (const key of await keysOf(storage, uuid)) found.push(key.replace(uuid, '<mount>').replace(/[0-9a-f-]{24,36}/g, '<id>'))
  return found.sort()
}

describe('a local mount', () => {
  it('has the same records as a replicated mount, but in class l instead of r', async () => {
    const storage = memoryStorage()
    await using kernel = await openOn(storage, withDatabase())
    const here = await shapes(storage, await fill(kernel, 'here-', true))
    const all = await shapes(storage, await fill(kernel, 'all-', false))
    expect(here.length).toBeGreaterThan(15)
    expect(here.filter((key) => key.startsWith('r/'))).toEqual([])
    expect(here).toEqual(all.map((key) => key.replace(/^r/, 'l')).sort())
    expect(all.filter((key) => key.startsWith('r/due/')).length).toBe(2)
  })

  it('has its mount record in class l, but a built-in mount of a namespace has not', async () => {
    const storage = memoryStorage()
    await using kernel = await openOn(storage)
    await kernel.namespaces.createNamespace({ name: 'team' })
    expect(await storage.list('l/core/mount/')).toEqual([])
    expect((await asker(kernel)('GET', 'sys/mounts/cubbyhole')).data).toMatchObject({ local: true })
  })

  it('can be tuned, moved and removed through another kernel on the store', async () => {
    const storage = memoryStorage()
    const { clock, ports } = withDatabase()
    await using kernel = await openOn(storage, { clock, ports })
    await using otherKernel = await openOn(storage, { clock, ports })
    const uuids = await fill(kernel, 'here-', true)
    const tuning = { path: 'here-kv', description: 'tuned' }
    await otherKernel.mounts.tuneMount(tuning)
    await otherKernel.mounts.moveMount({ from: 'here-kv', to: 'there' })
    expect((await kernel.kv.at('there/').readSecret({ path: 'a/b' })).data).toEqual({ v: 1 })
    expect((await asker(kernel)('GET', 'sys/mounts/there')).data).toMatchObject({ description: 'tuned', local: true })
    for (const path of ['there', 'here-kv2', 'here-transit', 'here-database']) await otherKernel.mounts.deleteMount({ path })
    await asker(kernel)('DELETE', 'sys/auth/here-cluster')
    for (let round = 0; round < 4; round++) {
      expect((await kernel.tick()).failed).toEqual([])
      await clock.advance(HOUR)
    }
    for (const uuid of uuids) expect(await keysOf(storage, uuid)).toEqual([])
  })

  it('cannot be created at the same time as a replicated mount at the same path', async () => {
    const inner = memoryStorage()
    let seed = 0
    const late = () => chaoticStorage(inner, { entropy: seededEntropy(`local ${seed++}`), unknown: 0 })
    await using firstKernel = await openOn(late())
    await using secondKernel = await openOn(late())
    for (let round = 0; round < 15; round++) {
      await turns(20)
      const outcomes = await Promise.allSettled([
        firstKernel.mounts.createMount({ path: `r${round}`, type: 'kv', local: true }),
        secondKernel.mounts.createMount({ path: round % 2 ? `r${round}` : `r${round}/below`, type: 'kv' }),
      ])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })
})

describe('due work of local and replicated mounts', () => {
  const keysAt = async (kernel: Kernel, hours: readonly number[]) => {
    for (const path of ['here', 'all']) await kernel.mounts.createMount({ path, type: 'transit', local: path === 'here' })
    for (const hour of hours)
      for (const at of hour % 2 ? ['here/'] : ['all/'])
        await kernel.transit.at(at).createKey({ name: `k${hour}`, auto_rotate_period: `${hour}h` })
  }
  const rotated = async (kernel: Kernel, hours: readonly number[]): Promise<number> => {
    const versions = hours.map((hour) => kernel.transit.at(hour % 2 ? 'here/' : 'all/').readKey({ name: `k${hour}` }))
    return (await Promise.all(versions)).filter(({ latest_version }) => latest_version > 1).length
  }

  it('is performed in the order of its due times', async () => {
    const clock = fakeClock()
    await using kernel = await openOn(memoryStorage(), { clock })
    const hours = [1, 2, 3, 4, 5, 6, 7, 8]
    await keysAt(kernel, hours)
    expect((await kernel.tick()).nextDueAt).toBe(clock.now() + HOUR)
    await clock.advance(8 * HOUR)
    expect((await kernel.status()).due).toContainEqual(expect.objectContaining({ lane: 'rotation', due: 8 }))
    for (const hour of hours) {
      expect((await kernel.tick({ limit: 1 })).done).toBe(1)
      expect([hour, await rotated(kernel, hours.slice(0, hour)), await rotated(kernel, hours)]).toEqual([hour, hour, hour])
    }
  })

  it('is completed by one tick even if there are 299 items', async () => {
    const clock = fakeClock()
    await using kernel = await openOn(memoryStorage(), { clock })
    const hours = Array.from({ length: 300 }, (_, index) => index + 1)
    await keysAt(kernel, hours)
    await clock.advance(299 * HOUR)
    expect(await kernel.tick()).toMatchObject({ done: 299, failed: [], more: false, nextDueAt: clock.now() + HOUR })
    expect(await rotated(kernel, hours)).toBe(299)
  })
})

describe('audit records in the store', () => {
  it('have class i, except the secret of a stored audit device, which has class l', async () => {
    const storage = memoryStorage()
    const lines: string[] = []
    const audit = {
      sinks: { main: ({ line }: { line: string }) => void lines.push(line) },
      factories: { other: () => ({ write: async () => {} }) },
    }
    const kernel = await openOn(storage, { ports: { audit } })
    const ask = asker(kernel)
    await ask('POST', 'sys/audit/device', { type: 'other' })
    await ask('GET', 'sys/mounts')
    const id = (await storage.list('l/core/audit-secret/'))[0]?.split('/')[0] as string
    const found = async () =>
      (await storage.list('')).filter((key) => /audit-(?!device)/.test(key)).map((key) => key.split('/').slice(0, 4))
    expect(await found()).toEqual([
      ...[id, 'main'].sort().map((owner) => ['i', 'core', 'audit-chain', owner]),
      ['i', 'core', 'audit-secret', 'main'],
      ['l', 'core', 'audit-secret', id],
    ])
    expect(await verifyAudit(kernel, { sink: 'main', lines })).toMatchObject({ ok: true })
    await expect(verifyAudit(kernel, { sink: 'device', lines })).resolves.toMatchObject({ ok: false })
    await ask('DELETE', 'sys/audit/device')
    expect((await found()).filter((key) => key.includes(id) && key[0] === 'l')).toEqual([])
    await kernel.close()
  })
})
