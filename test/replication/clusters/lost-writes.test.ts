/**
 * Lost writes: records that only the former primary had when another cluster took over by force. They are counted, stored separately,
 * listed, and deleted.
 */
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { fromUtf8 } from '../../../src/core/base/bytes.ts'
import {
  type Clock,
  createKernel,
  inProcessNetwork,
  type Kernel,
  keySeal,
  memoryStorage,
  type Storage,
  systemClock,
} from '../../../src/index.ts'
import { crashingStorage } from '../../../src/testing/index.ts'
import { type Clusters, rootOf, tokenOf } from './cluster.ts'

const SEAL = keySeal(new Uint8Array(32).fill(1))

interface Split {
  readonly storage: Storage
  /** The former primary. It was demoted and follows the other cluster from its next tick on. */
  readonly former: Kernel
  readonly now: Kernel
  /** Opens a kernel of the former primary on a storage. */
  readonly open: (storage: Storage) => Promise<Kernel>
}

/** Two clusters after a forced promotion. `alone` runs on the former primary only. */
async function split(
  alone: (former: Kernel) => Promise<unknown>,
  log?: { readonly maxBytes: number },
  clock: Clock = systemClock,
): Promise<Split> {
  const replication = inProcessNetwork()
  const storage = memoryStorage({ maxOps: 128 })
  const options = {
    seal: SEAL,
    clock,
    crypto: nodeCrypto(),
    initialize: true,
    ports: { replication },
    ...(log ? { replication: { log } } : {}),
  }
  const open = (on: Storage): Promise<Kernel> => createKernel({ ...options, storage: on })
  const all: Clusters = { make: (more) => createKernel({ ...options, storage: memoryStorage({ maxOps: 128 }), ...more }) }
  const former = await open(storage)
  const now = await all.make()
  await former.kv.writeSecret({ path: 'both', data: { v: 1 } })
  await former.replication.enablePrimary()
  await now.replication.enableSecondary({ token: await tokenOf(former, 'one') })
  await now.tick()
  await now.replication.promote({ force: true })
  await alone(former)
  await now.kv.writeSecret({ path: 'new', data: { v: 2 } })
  const token = await tokenOf(now, 'former')
  await former.replication.demotePrimary()
  await former.replication.updatePrimary({ token })
  return { storage, former, now, open }
}

const level = async ({ former, now }: Split): Promise<void> => {
  expect((await former.tick()).failed).toEqual([])
  expect(await rootOf(former)).toBe(await rootOf(now))
}

/** All lost records, page by page. */
async function lostOn({ replication }: Pick<Kernel, 'replication'>, limit = 100) {
  const pages = []
  for (let after = ''; ; ) {
    const { records, next } = await replication.readLostWrites({ after, limit })
    pages.push(...records)
    if (next === undefined) return pages
    after = next
  }
}

const textsIn = (records: Awaited<ReturnType<typeof lostOn>>): string =>
  records
    .flatMap(({ changes }) => changes.map(({ value }) => (value ? fromUtf8(value.filter((byte) => byte < 128)) : '')))
    .join('\n')

describe('the lost writes of a former primary', () => {
  it('are counted in the status, and the application can read their values', async () => {
    const pair = await split(async ({ kv, tokens }) => {
      for (const at of [1, 2, 3]) await kv.writeSecret({ path: `alone/${at}`, data: { v: `lost-${at}` } })
      for (let n = 0; n < 5; n++) await tokens.createToken({ policies: ['default'] })
      await kv.deleteSecret({ path: 'both' })
    })
    await level(pair)
    // Tokens are not replicated.
    expect(await pair.former.replication.readStatus()).toMatchObject({ mode: 'secondary', lost_writes: 4 })
    const records = await lostOn(pair.former)
    expect(records).toHaveLength(4)
    expect(records.map(({ index }) => index)).toEqual(records.map(({ index }) => index).sort((a, b) => a - b))
    for (const { epoch, time } of records) {
      expect(epoch).toBe(1)
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(600_000)
    }
    for (const at of [1, 2, 3]) expect(textsIn(records.slice(at - 1, at))).toContain(`lost-${at}`)
    expect(records[3]?.changes.some(({ deleted }) => deleted)).toBe(true)
    expect(await lostOn(pair.former, 1)).toEqual(records)
    expect(await lostOn(pair.now)).toEqual([])
  })

  it('have a valid time even if the clock returns fractions of a millisecond', async () => {
    const clock = systemClock
    const pair = await split(({ kv }) => kv.writeSecret({ path: 'alone', data: { v: 1 } }), undefined, {
      ...clock,
      now: () => Math.floor(clock.now()) + 0.75,
    })
    await level(pair)
    const records = await lostOn(pair.former)
    expect(records).toHaveLength(1)
    expect(Math.abs(Date.parse(records[0]!.time) - Date.now())).toBeLessThan(600_000)
  })

  it('are listed without values for tokens with sudo, and not at all for other tokens', async () => {
    const pair = await split(({ kv }) => kv.writeSecret({ path: 'alone', data: { v: 'nobody-sees-this' } }))
    await level(pair)
    const { former } = pair
    const path = 'sys/replication/performance/secondary/lost-writes'
    const rule = (more: string) => `path "${path}" { capabilities = ["read", "delete"${more}] }`
    const ask = async (name: string, more: string) => {
      await pair.now.policies.writePolicy({ name, policy: rule(more) })
      await former.tick()
      const { client_token } = await former.tokens.createToken({ policies: [name] })
      const { status, body } = await former.handle({
        method: 'GET',
        path: `/v1/${path}`,
        headers: { 'X-Service-Token': client_token },
      })
      return { status, text: JSON.stringify(body), view: former.as(client_token) }
    }
    expect((await ask('some', '')).status).toBe(403)
    const { status, text, view } = await ask('most', ', "sudo"')
    expect(status).toBe(200)
    expect(text).toMatch(/alone/)
    expect(text).not.toContain('nobody-sees-this')
    expect(text).not.toContain('value')
    const [shown] = await lostOn(view)
    expect(shown?.changes.every(({ value }) => value === undefined)).toBe(true)
  })

  it('are kept even if their values have 900 KB each', async () => {
    const large = 'x'.repeat(900_000)
    const pair = await split(async ({ kv }) => {
      for (const at of [1, 2, 3]) await kv.writeSecret({ path: 'alone', data: { v: `${at}${large}` } })
    })
    await level(pair)
    const records = await lostOn(pair.former)
    expect(records).toHaveLength(3)
    for (const [at, record] of records.entries()) expect(textsIn([record])).toContain(`${at + 1}${large}`)
  })

  it('are deleted and no longer counted after a call of forgetLostWrites', async () => {
    const pair = await split(({ kv }) => kv.writeSecret({ path: 'alone', data: { v: 1 } }))
    await level(pair)
    await pair.former.replication.forgetLostWrites()
    expect(await pair.former.replication.readStatus()).toMatchObject({ lost_writes: 0 })
    expect(await lostOn(pair.former)).toEqual([])
    expect(await pair.storage.list('i/replication/quarantine/')).toEqual([])
    await pair.former.replication.forgetLostWrites()
    await level(pair)
  })

  it('are counted in the status after any role change, until they are deleted', async () => {
    const pair = await split(({ kv }) => kv.writeSecret({ path: 'alone', data: { v: 1 } }))
    await level(pair)
    const { replication } = pair.former
    await replication.promote({ force: true })
    expect(await replication.readStatus()).toMatchObject({ mode: 'primary', lost_writes: 1 })
    expect(await lostOn(pair.former)).toHaveLength(1)
    await replication.demotePrimary()
    expect(await replication.readStatus()).toMatchObject({ mode: 'secondary', lost_writes: 1 })
    await replication.disableSecondary()
    await replication.enablePrimary()
    expect(await replication.readStatus()).toMatchObject({ mode: 'primary', lost_writes: 1 })
    await replication.forgetLostWrites()
    expect(await replication.readStatus()).not.toHaveProperty('lost_writes')
    await replication.demotePrimary()
    expect(await replication.readStatus()).toMatchObject({ lost_writes: 0 })
  })

  it('are deleted when the cluster leaves its set and joins it again', async () => {
    const pair = await split(({ kv }) => kv.writeSecret({ path: 'alone', data: { v: 1 } }))
    await level(pair)
    const { replication } = pair.former
    await replication.disableSecondary()
    await replication.enableSecondary({ token: await tokenOf(pair.now, 'anew') })
    await level(pair)
    expect(await replication.readStatus()).toMatchObject({ mode: 'secondary', lost_writes: 0 })
    expect(await lostOn(pair.former)).toEqual([])
  })

  it('are counted even if the log no longer contains them all', async () => {
    const pair = await split(
      async (former) => {
        for (let n = 0; n < 40; n++) await former.kv.writeSecret({ path: `alone/${n}`, data: { v: n } })
        await former.tick()
      },
      { maxBytes: 5000 },
    )
    await level(pair)
    const records = await lostOn(pair.former)
    expect(records.length).toBeLessThan(40)
    const { lost_writes = 0 } = await pair.former.replication.readStatus()
    expect(lost_writes).toBeGreaterThanOrEqual(40)
    expect(textsIn(records.slice(-1))).toContain('39')
  })

  it('are complete and counted once after a crash at any commit that compares the data with the new primary', async () => {
    const dead = async (crashAt?: number) => {
      const pair = await split(async ({ kv }) => {
        for (const at of [1, 2]) await kv.writeSecret({ path: `alone/${at}`, data: { v: `lost-${at}` } })
      })
      await pair.former.close()
      const dying = crashingStorage(pair.storage, crashAt === undefined ? {} : { crashAt, when: 'after' })
      const about: number[] = []
      const noted: Storage = {
        ...dying,
        commit(ops, id) {
          if (ops.some((op) => 'key' in op && /quarantine|following/.test(op.key))) about.push(dying.commits + 1)
          return dying.commit(ops, id)
        },
      }
      const first = await pair.open(noted).catch(() => undefined)
      await first?.tick().catch(() => {})
      const { crashed } = dying
      await first?.close().catch(() => {})
      const former = await pair.open(pair.storage)
      // The claim of the dead process would expire after a while. Delete it here.
      for (const name of await pair.storage.list('i/claim/'))
        await pair.storage.commit([{ op: 'del', key: `i/claim/${name}` }], `gone ${name}`)
      await level({ ...pair, former })
      const records = await lostOn(former)
      expect(records.map(({ changes }) => textsIn([{ changes } as never]))).toEqual([
        expect.stringContaining('lost-1'),
        expect.stringContaining('lost-2'),
      ])
      expect(await former.replication.readStatus()).toMatchObject({ lost_writes: 2 })
      await Promise.all([former.close(), pair.now.close()])
      return { about, crashed }
    }
    const { about } = await dead()
    expect(about.length).toBeGreaterThan(2)
    for (const at of about) expect((await dead(at)).crashed).toBe(true)
  })
})
