/**
 * Leases when the process dies at any commit, when many come at once, and when two kernels share the store.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage, type Storage } from '../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { type House, openHouse } from '../fixtures/lending.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'

/** Longer than a claim of the dead is waited for. */
const TAKEOVER = 31_000

interface World {
  readonly house: House
  readonly clock: FakeClock
  /** Leases that were told of, and whom they let in. */
  readonly known: { id: string; guest: string }[]
}

const answered = async (house: House, method: string, path: string, body: object = {}): Promise<void> => {
  const { status, errors } = await house.ask(method, path, { ...body })
  if (status >= 500) throw new Error(errors?.[0])
}

const id = ({ known }: World, at: number): string => known[at]?.id ?? 'none'

const WORK: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ['issue', async (world) => void world.known.push(await world.house.enter({ ttl: 100 }))],
  [
    'issue to a token',
    async (world) => {
      const token = await world.house.token({ ttl: 5000 })
      world.known.push(await world.house.enter({ ttl: 4000 }, token))
      await answered(world.house, 'POST', 'auth/token/revoke', { token })
    },
  ],
  ['issue another', async (world) => void world.known.push(await world.house.enter({ ttl: 9000 }))],
  ['renew', (world) => answered(world.house, 'POST', 'sys/leases/renew', { lease_id: id(world, 2), increment: 200 })],
  [
    'tick',
    async ({ house, clock }) => {
      await clock.advance(100_000)
      await ticked(house)
    },
  ],
  ['revoke', (world) => answered(world.house, 'POST', 'sys/leases/revoke', { lease_id: id(world, 2) })],
  [
    'issue some',
    async (world) => {
      for (let guest = 0; guest < 20; guest++) world.known.push(await world.house.enter({ ttl: 9000 }))
    },
  ],
  ['revoke by prefix', ({ house }) => answered(house, 'POST', 'sys/leases/revoke-prefix/lend')],
  ['issue the last', async (world) => void world.known.push(await world.house.enter({ ttl: 9000 }))],
  ['disable', ({ house }) => answered(house, 'DELETE', 'sys/mounts/lend')],
  ['tick at last', async ({ house }) => ticked(house)],
]

/** What fails in a tick is told, not thrown. */
async function ticked({ kernel }: House): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed[0]) throw failed[0].error
}

async function tickUntilDone({ house, clock }: World): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { done, failed, more } = await house.kernel.tick()
    expect(failed).toEqual([])
    if (more) await clock.advance(TAKEOVER)
    else if (done === 0) return
  }
  throw new Error('there is always something due')
}

/** The records say the same: no index without a lease, no lease without its indexes and its time. */
async function checkRecords(storage: Storage, tokens: number): Promise<void> {
  const count = async (folder: string) => (await storage.list(`l/core/${folder}/`)).length
  const leases = await count('lease')
  const due = (await storage.list('l/due/lease/')).filter((name) => name.includes('/core/id/')).length
  expect(await count('lease-mount')).toBe(leases - tokens)
  expect(due).toBe(leases - tokens)
  expect(await count('lease-stuck')).toBe(0)
}

const tokenLeases = async (storage: Storage): Promise<number> => (await storage.list('l/core/lease/root/auth/')).length

async function crash(at: number | undefined, when: 'before' | 'after'): Promise<number> {
  const inner = memoryStorage({ maxOps: 128 })
  const clock = fakeClock()
  const setup = await openHouse({ storage: inner, clock })
  await setup.token()
  const { rootToken } = setup
  await setup.kernel.close()

  const storage = crashingStorage(inner, at === undefined ? {} : { crashAt: at, when })
  const world: World = { house: await openHouse({ storage, clock, known: rootToken }), clock, known: [] }
  for (const [, step] of WORK) {
    const [outcome] = await Promise.allSettled([step(world)])
    if (outcome.status === 'rejected') {
      if (!storage.crashed) throw outcome.reason
      break
    }
  }
  expect(storage.crashed).toBe(at !== undefined)
  const { commits } = storage
  await world.house.kernel.close()

  const house = await openHouse({ storage: inner, clock, known: rootToken })
  const next: World = { ...world, house }
  await tickUntilDone(next)
  const there = await house.ask('GET', 'sys/mounts/lend')
  const good: string[] = []
  for (const { id: lease, guest } of world.known) if ((await house.look(lease)) === 200) good.push(guest)
  if (there.status === 200) {
    // Who is in has a lease that ends it some day; who has a good lease is in.
    const guests = await house.guests()
    expect(guests).toEqual(expect.arrayContaining(good))
    expect((await inner.list('l/core/lease-mount/')).length).toBe(guests.length)
    await checkRecords(inner, await tokenLeases(inner))
    await clock.advance(10_000_000)
    await tickUntilDone(next)
    expect(await house.guests()).toEqual([])
  } else expect(good).toEqual([])
  await house.kernel.leases.revokePrefix({ prefix: 'auth' })
  await tickUntilDone(next)
  for (const folder of ['lease', 'lease-mount', 'lease-owner', 'lease-stuck', 'ending-walk'])
    expect(await inner.list(`l/core/${folder}/`)).toEqual([])
  expect(await inner.list('l/due/')).toEqual([])
  await house.kernel.close()
  return commits
}

describe('a crash at any commit of issuing, renewing, revoking, expiring and disabling', () => {
  it.each(['before', 'after'] as const)(
    '%s it takes effect loses no lease and leaves nothing behind',
    async (when) => {
      const total = await crash(undefined, when)
      expect(total).toBeGreaterThan(40)
      for (let at = 1; at <= total; at++) {
        await crash(at, when).catch((error: unknown) => {
          throw new Error(`crash ${when} commit ${at} of ${total}`, { cause: error })
        })
      }
    },
    3_600_000,
  )
})

describe.each(ALL_STORES)('64 at once on $name', (store) => {
  it('renew and revoke one lease: it is revoked once, and nobody renews it afterwards', async () => {
    const { storage, drop } = await store.open()
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const house = await openHouse({ storage, clock: movingClock(), outside })
    try {
      const { id: lease_id, guest } = await house.enter({ ttl: '1h' })
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, at) =>
          at % 2 === 0
            ? house.ask('POST', 'sys/leases/renew', { lease_id, increment: 100 + at })
            : house.ask('POST', 'sys/leases/revoke', { lease_id }),
        ),
      )
      for (const [at, { status, errors }] of answers.entries()) {
        if (at % 2 === 1) expect([status, errors]).toEqual([204, undefined])
        else expect([200, 400]).toContain(status)
      }
      expect(await house.look(lease_id)).toBe(400)
      expect(await house.guests()).toEqual([])
      expect(new Set(revoked)).toEqual(new Set([guest]))
      expect(await storage.list('l/core/lease')).toEqual([])
      expect(await storage.list('l/due/lease/')).toEqual([])
    } finally {
      await house.kernel.close()
      await drop()
    }
  })

  it('renew one lease: the last one counts', async () => {
    const { storage, drop } = await store.open()
    const clock = movingClock()
    const house = await openHouse({ storage, clock })
    try {
      const { id: lease_id } = await house.enter({ ttl: '1h' })
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, at) => house.ask('POST', 'sys/leases/renew', { lease_id, increment: 1000 + at })),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect((await storage.list('l/due/lease/')).length).toBe(1)
      clock.advance(1_100_000)
      expect((await house.kernel.tick()).done).toBe(1)
      expect(await house.guests()).toEqual([])
    } finally {
      await house.kernel.close()
      await drop()
    }
  })

  it('take secrets while their path is revoked: none is left in between', async () => {
    const { storage, drop } = await store.open()
    const house = await openHouse({ storage, clock: movingClock() })
    try {
      const before = await Promise.all(Array.from({ length: 16 }, () => house.enter()))
      const [during] = await Promise.all([
        Promise.all(Array.from({ length: 64 }, () => house.enter())),
        house.kernel.leases.revokePrefix({ prefix: 'lend/creds' }),
      ])
      for (const { id: lease } of before) expect(await house.look(lease)).toBe(400)
      const good = []
      for (const { id: lease, guest } of during) if ((await house.look(lease)) === 200) good.push(guest)
      expect(await house.guests()).toEqual(good.sort())
      await house.kernel.tick()
      expect(await house.guests()).toEqual(good.sort())
    } finally {
      await house.kernel.close()
      await drop()
    }
  })
})

describe('taking secrets while what they hang on goes', () => {
  it.each([
    ['their mount', (house: House) => house.ask('DELETE', 'sys/mounts/lend')],
    ['the token that takes them', (house: House, token: string) => house.ask('POST', 'auth/token/revoke', { token })],
    ['all below the path of that token', (house: House) => house.ask('POST', 'sys/leases/revoke-prefix/auth', { sync: false })],
  ])('leaves none behind: %s', async (_, end) => {
    const storage = memoryStorage({ maxOps: 128 })
    const entered: string[] = []
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const house = await openHouse({ storage, clock: movingClock(), outside })
    const token = await house.token()
    const take = async () => {
      const { status, data } = await house.ask('GET', 'lend/creds/app', {}, token)
      if (status === 200) entered.push(String(data?.['guest']))
      else expect([403, 404]).toContain(status)
    }
    const takes = Array.from({ length: 24 }, take)
    await Promise.all([...takes, end(house, token), ...Array.from({ length: 24 }, take)])
    for (let round = 0; round < 3; round++) expect((await house.kernel.tick()).failed).toEqual([])
    expect(revoked.sort()).toEqual(entered.sort())
    expect(await storage.list('l/core/lease-mount/')).toEqual([])
    await house.kernel.close()
  })
})

describe('two kernels on one store', () => {
  it('expire every lease once', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const clock = movingClock()
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const a = await openHouse({ storage, clock, outside })
    const b = await openHouse({ storage, clock, outside, known: a.rootToken })
    const made: string[] = []
    for (let guest = 0; guest < 40; guest++) made.push((await (guest % 2 === 0 ? a : b).enter({ ttl: 60 })).guest)
    clock.advance(60_000)
    await Promise.all([a.kernel.tick(), b.kernel.tick()])
    expect(revoked.sort()).toEqual(made.sort())
    expect([await a.guests(), await b.guests()]).toEqual([[], []])
    await Promise.all([a.kernel.close(), b.kernel.close()])
  })
})
