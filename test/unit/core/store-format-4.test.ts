/**
 * Format 4 stored the records of local mounts in class `r`. The upgrade moves them to class `l` and must not lose any, even if it is
 * interrupted.
 */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { Barrier } from '../../../src/core/barrier/barrier.ts'
import { Deadline } from '../../../src/core/base/deadline.ts'
import { internalsOf } from '../../../src/core/kernel/kernel-internals.ts'
import { Store } from '../../../src/core/transaction/store.ts'
import { STORE_FORMAT, upgradeFormat } from '../../../src/core/transaction/store-format.ts'
import {
  type Clock,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  type Op,
  type Storage,
  systemClock,
  verifyAudit,
} from '../../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock, fakeDatabasePlugin, seededEntropy } from '../../../src/testing/index.ts'
import { counted } from '../../fixtures/counted-commits.ts'

const HOUR = 3_600_000
const FORMAT_4 = [{ to: 3 }, { to: 4 }].map(({ to }) => ({ to, needs: 'nothing' as const, run: async (): Promise<Op[]> => [] }))

const fixture = JSON.parse(await readFile(new URL('../../fixtures/store-format-4.json', import.meta.url), 'utf8'))

async function filled(): Promise<Storage> {
  const storage = memoryStorage()
  for (const [key, value] of Object.entries<string>(fixture.entries))
    await storage.commit([{ op: 'put', key, value: Buffer.from(value, 'base64') }], key)
  return storage
}

/** Opens only the part of the store that is in clear text. */
function storeOf(storage: Storage): Store {
  const entropy = seededEntropy('an older release')
  const deadline = new Deadline(systemClock, 1000, new AbortController().signal)
  return new Store({ storage, barrier: new Barrier(entropy), clock: systemClock, entropy, deadline })
}

interface World {
  readonly clock: FakeClock
  readonly database: ReturnType<typeof fakeDatabasePlugin>
  open(storage: Storage, clock?: Clock): Promise<Kernel>
}

function world(): World {
  const clock = fakeClock(fixture.made + 60_000)
  const database = fakeDatabasePlugin({ clock })
  database.addUser(fixture.database.username, fixture.database.password)
  database.addUser(fixture.database.leased, 'leased')
  const audit = { sinks: { main: () => {} }, factories: { other: () => ({ write: async () => {} }) } }
  const seal = keySeal(Buffer.from(fixture.seal_key, 'base64'))
  return {
    clock,
    database,
    open: (storage, at = clock) => createKernel({ storage, clock: at, seal, ports: { databases: { fake: database }, audit } }),
  }
}

type Data = Readonly<Record<string, unknown>>

const asker = (kernel: Kernel) => async (method: string, path: string, body?: object, query?: Record<string, string>) => {
  const reply = await kernel.handle({
    method,
    path: `/v1/${path}`,
    ...(query && { query }),
    headers: { 'X-Service-Token': fixture.root_token },
    ...(body ? { body } : {}),
  })
  const data = (reply.body as { data?: Data } | undefined)?.data
  return { status: reply.status, data: data as Data }
}

/** Checks that all data of the fixture can be read. */
async function readAll(kernel: Kernel): Promise<void> {
  const ask = asker(kernel)
  const read = async (path: string): Promise<Data> => (await ask('GET', path)).data
  expect(await read('here/app/database')).toEqual({ user: 'app', password: 'kept in version 1' })
  expect(await read('team/here/one')).toEqual({ of: 'the team' })
  for (const [version, key] of [
    ['1', 'first'],
    ['2', 'second'],
  ])
    expect((await ask('GET', 'here-v2/data/api', undefined, { version: version as string })).data['data']).toEqual({ key })
  expect(await read('here-v2/config')).toMatchObject({ max_versions: 7 })
  const { data } = await ask('POST', 'here-transit/decrypt/orders', { ciphertext: fixture.transit.ciphertext })
  expect(Buffer.from(data['plaintext'] as string, 'base64').toString()).toBe(fixture.transit.plaintext)
  expect(await read('here-db/roles/app')).toMatchObject({ db_name: 'main' })
  expect(await read('here-db/static-creds/known')).toMatchObject({ username: 'alice' })
  for (const name of ['main', 'device']) {
    const { hash } = (await ask('POST', `sys/audit-hash/${name}`, { input: fixture.audit.input })).data
    expect([name, hash]).toEqual([name, fixture.audit[name]])
  }
  const mounts = Object.keys(await read('sys/mounts'))
  expect(mounts).toEqual(expect.arrayContaining(['here/', 'here-v2/', 'here-transit/', 'here-db/', 'transit/', 'cubbyhole/']))
  expect(mounts).not.toContain('leaving/')
  expect(Object.keys(await read('sys/auth'))).toContain('here-cluster/')
}

/** Checks that all records of local mounts are in class `l` and that records of other mounts have not moved. */
async function checkPlaces(kernel: Kernel, storage: Storage): Promise<void> {
  const keys = await storage.list('')
  const { topology } = internalsOf(kernel)
  const namespaces = topology.namespaces.below('').concat(topology.namespaces.byPath('') ?? [])
  for (const { record } of namespaces.flatMap((namespace) => topology.mounts.of(namespace))) {
    const local = record.path.startsWith('here') || record.path.startsWith('auth/here')
    const at = `${local ? 'l' : 'r'}/core/mount/${record.uuid}`
    expect(keys.filter((key) => key.endsWith(`core/mount/${record.uuid}`))).toEqual([at])
    if (local) expect(keys.filter((key) => key.startsWith('r/') && key.includes(record.uuid))).toEqual([])
  }
  const due = (prefix: string) => keys.filter((key) => key.startsWith(prefix)).map((key) => key.split('/').at(-1))
  expect([due('r/due/'), due('l/due/rotation/'), due('l/due/credential/')]).toEqual([['shared'], ['orders'], ['known']])
  expect(keys.filter((key) => key.startsWith('l/core/audit-chain/'))).toEqual([])
  const secrets = keys.filter((key) => key.includes('/audit-secret/')).map((key) => key.split('/').slice(0, 4).join('/'))
  expect(secrets).toEqual(['i/core/audit-secret/main', expect.stringMatching(/^l\/core\/audit-secret\/(?!main)/)])
  expect(JSON.parse(Buffer.from((await storage.get('i/core/format'))!.value).toString())).toEqual({ format: STORE_FORMAT })
}

describe('a store of format 4 with local mounts', () => {
  it('opens with all its data, after which all records of local mounts are in class l', async () => {
    const storage = await filled()
    const { open } = world()
    for (let opened = 1; opened <= 2; opened++) {
      const kernel = await open(storage)
      await readAll(kernel)
      await checkPlaces(kernel, storage)
      expect(await verifyAudit(kernel, { sink: 'main', lines: fixture.audit.lines, partial: true })).toMatchObject({
        ok: true,
        entries: fixture.audit.lines.length,
      })
      const cut = await verifyAudit(kernel, { sink: 'main', lines: fixture.audit.lines.slice(0, -1), partial: true })
      expect(cut.problems.map(({ kind }) => kind)).toEqual(['cut off'])
      await kernel.close()
    }
  })

  it('rotates keys and revokes leases that were due after the upgrade', async () => {
    const storage = await filled()
    const { clock, database, open } = world()
    const kernel = await open(storage)
    const ask = asker(kernel)
    expect((await kernel.tick()).failed).toEqual([])
    expect(database.users.has(fixture.database.leased)).toBe(false)
    // Records of deleted mounts must be gone.
    const uuids = (await storage.list('')).map((key) => key.split('/')[1] ?? '').filter((part) => part.includes('-'))
    const { topology } = internalsOf(kernel)
    expect([...new Set(uuids)].filter((uuid) => !topology.mounts.byId(uuid))).toEqual([])
    const status = (await kernel.status()).due.filter(({ lane }) => lane === 'rotation' || lane === 'credential')
    expect(status.map(({ lane, due, next_due_at }) => [lane, due, next_due_at])).toEqual([
      ['rotation', 0, '2026-01-01T01:00:00.000Z'],
      ['credential', 0, '2026-01-01T01:00:00.000Z'],
    ])
    await clock.advance(HOUR)
    expect((await kernel.status()).due.map(({ lane, due }) => [lane, due])).toContainEqual(['rotation', 2])
    expect((await kernel.tick()).failed).toEqual([])
    for (const key of ['here-transit/keys/orders', 'transit/keys/shared'])
      expect((await ask('GET', key)).data).toMatchObject({ latest_version: 2 })
    const { password } = (await ask('GET', 'here-db/static-creds/known')).data
    expect(password).not.toBe(fixture.database.password)
    expect(database.login('alice', password as string)).toBe(true)
    await checkPlaces(kernel, storage)
    await kernel.close()
  })

  it('keeps no records of local mounts that are deleted after the upgrade', async () => {
    const storage = await filled()
    const { clock, open } = world()
    const kernel = await open(storage)
    const ask = asker(kernel)
    await kernel.tick()
    const { topology } = internalsOf(kernel)
    const uuids: string[] = []
    for (const path of ['here', 'here-v2', 'here-transit', 'here-db', 'team/here'])
      uuids.push(
        (await ask('GET', path.startsWith('team/') ? 'team/sys/mounts/here' : `sys/mounts/${path}`)).data['uuid'] as string,
      )
    expect(uuids.every((uuid) => topology.mounts.byId(uuid))).toBe(true)
    for (const path of ['here', 'here-v2', 'here-transit', 'here-db']) await ask('DELETE', `sys/mounts/${path}`)
    await ask('DELETE', 'sys/namespaces/team')
    for (let round = 0; round < 3; round++) {
      expect((await kernel.tick()).failed).toEqual([])
      await clock.advance(HOUR)
    }
    const left = (await storage.list('')).filter((key) => !key.startsWith('i/claim/') && uuids.some((uuid) => key.includes(uuid)))
    expect(left).toEqual([])
    await kernel.close()
  })

  it('opens after a crash at any commit of the upgrade, but is refused by older releases from the first commit on', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1, crashed = true; crashed; crashAt++) {
        const storage = await filled()
        const { open } = world()
        const dying = crashingStorage(storage, { crashAt, when })
        const [first] = await Promise.allSettled([open(dying)])
        crashed = first.status === 'rejected'
        expect(dying.crashed || !crashed).toBe(true)
        if (crashAt > 1 || when === 'after') {
          const old = storeOf(storage)
          await expect(upgradeFormat(old, true, FORMAT_4)).rejects.toThrow('a newer release has written it')
        }
        const kernel = await open(storage)
        await readAll(kernel)
        await checkPlaces(kernel, storage)
      }
    }
  })

  it('is upgraded without loss if several kernels open it at the same time', async () => {
    const storage = await filled()
    const { clock, open } = world()
    // Waiting for other processes uses real time, because no test advances the fake clock meanwhile.
    const waiting: Clock = { now: () => clock.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) }
    const kernels = await Promise.all([open(storage, waiting), open(storage, waiting), open(storage, waiting)])
    for (const kernel of kernels) await readAll(kernel)
    for (const kernel of kernels) await checkPlaces(kernel, storage)
  })
})

describe('a local mount with many records in a store of format 4', () => {
  const KEY = new Uint8Array(32).fill(4)
  // OpenSSL encrypts these megabytes much faster than the default backend.
  const crypto = nodeCrypto()
  const MEGABYTE = 1_048_576
  const value = (index: number): string =>
    index === 31 ? 'y'.repeat(5 * MEGABYTE) : index < 40 ? 'x'.repeat(MEGABYTE / 3) : `of ${index}`

  /** Creates a store as format 4 had it, with the records of a local mount in class `r`. */
  async function made(records: number, huge: boolean): Promise<Storage> {
    const storage = memoryStorage()
    const kernel = await createKernel({ storage, crypto, seal: keySeal(KEY), initialize: true })
    await kernel.mounts.createMount({ path: 'much', type: 'kv', local: true })
    const kv = kernel.kv.at('much/')
    for (let index = 0; index < records; index++)
      await kv.writeSecret({ path: `${index}`, data: { v: huge ? value(index) : `of ${index}` } })
    const { host } = internalsOf(kernel)
    const [mount = ''] = await storage.list('l/core/mount/')
    const keys = (await storage.list('')).filter((key) => key === `l/core/mount/${mount}` || key.startsWith(`l/${mount}/`))
    for (const key of keys) {
      const [entry] = await host.store.getMany([key])
      const back = host.store.encryptedPut(key.replace(/^l/, 'r'), entry!.value, 0)
      await storage.commit([back, { op: 'del', key }], `back ${key}`)
    }
    await storage.commit([{ op: 'put', key: 'i/core/format', value: Buffer.from('{"format":4}') }], 'format')
    await kernel.close()
    expect(keys).toHaveLength(records + 1)
    return storage
  }
  const open = (storage: Storage) => createKernel({ storage, crypto, seal: keySeal(KEY) })

  it('is moved to class l in commits of at most 120 operations and about 4 MiB', async () => {
    const inner = await made(300, true)
    const storage = counted(inner)
    const kernel = await open(storage)
    const moving = storage.commits.filter(({ ops }) => ops.some((op) => op.op === 'del' && op.key.startsWith('r/')))
    expect(moving.length).toBeGreaterThan(5)
    for (const { ops } of moving) {
      expect(ops.length).toBeLessThanOrEqual(120)
      const sizes = ops.flatMap((op) => (op.op === 'put' ? [op.value.length] : []))
      expect(sizes.reduce((sum, size) => sum + size, 0) <= 4.01 * MEGABYTE || sizes.length === 1).toBe(true)
    }
    for (let index = 0; index < 300; index++)
      expect((await kernel.kv.at('much/').readSecret({ path: `${index}` })).data).toEqual({ v: value(index) })
    await kernel.close()
  })

  it('is moved completely by the next opening after a crash at any commit', async () => {
    const start = await made(150, false)
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1, crashed = true; crashed; crashAt++) {
        const storage = memoryStorage()
        for (const { key, value } of await start.scan('')) await storage.commit([{ op: 'put', key, value }], key)
        const [first] = await Promise.allSettled([open(crashingStorage(storage, { crashAt, when }))])
        crashed = first.status === 'rejected'
        const kernel = await open(storage)
        const { keys } = await kernel.kv.at('much/').listSecrets({ path: '' })
        expect(keys).toHaveLength(150)
        for (const path of keys) expect((await kernel.kv.at('much/').readSecret({ path })).data).toEqual({ v: `of ${path}` })
        expect((await storage.list('r/')).filter((key) => key.includes('/secret/'))).toEqual([])
        await kernel.close()
        expect(crashAt > 5 || crashed).toBe(true)
      }
    }
  })

  it('is moved completely if several kernels open the store at the same time', async () => {
    // Enough records for several commits of about 60 records each.
    const inner = await made(600, false)
    const far: Storage = {
      ...inner,
      async commit(ops, id) {
        await systemClock.sleep(150)
        return inner.commit(ops, id)
      },
    }
    const kernels = await Promise.all([open(far), open(far), open(far)])
    for (const kernel of kernels) {
      expect((await kernel.kv.at('much/').listSecrets({ path: '' })).keys).toHaveLength(600)
      await kernel.close()
    }
    expect((await inner.list('r/')).filter((key) => key.includes('/secret/'))).toEqual([])
  })

  it('is moved even if a record is damaged, which then stays unreadable', async () => {
    const storage = await made(10, false)
    const [path = ''] = (await storage.list('r/')).filter((key) => key.endsWith('/secret/3'))
    const { value: stored } = (await storage.get(`r/${path}`))!
    stored[stored.length - 1]! ^= 1
    await storage.commit([{ op: 'put', key: `r/${path}`, value: stored }], 'damage')
    const kernel = await open(storage)
    const read = (index: number) => kernel.kv.at('much/').readSecret({ path: `${index}` })
    await expect(read(3)).rejects.toMatchObject({ code: 'ERR_INTERNAL' })
    expect((await read(4)).data).toEqual({ v: 'of 4' })
    await kernel.close()
  })
})
