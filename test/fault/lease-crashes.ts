/** A process that issues and ends leases dies at one of its commits. */
import { expect } from 'vitest'
import { memoryStorage, type Storage } from '../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld } from '../fixtures/lending.ts'

/** Milliseconds after which the claim of a dead process has expired. */
const TAKEOVER = 31_000

interface World {
  readonly lending: LendingWorld
  readonly clock: FakeClock
  /** The leases that were returned to a caller, and the guests that they admit. */
  readonly known: { id: string; guest: string }[]
}

const answered = async (lending: LendingWorld, method: string, path: string, body: object = {}): Promise<void> => {
  const { status, errors } = await lending.ask(method, path, { ...body })
  if (status >= 500) throw new Error(errors?.[0])
}

const id = ({ known }: World, at: number): string => known[at]?.id ?? 'none'

const WORK: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ['issue', async (world) => void world.known.push(await world.lending.enter({ ttl: 100 }))],
  [
    'issue to a token',
    async (world) => {
      const token = await world.lending.token({ ttl: 5000 })
      world.known.push(await world.lending.enter({ ttl: 4000 }, token))
      await answered(world.lending, 'POST', 'auth/token/revoke', { token })
    },
  ],
  ['issue another', async (world) => void world.known.push(await world.lending.enter({ ttl: 9000 }))],
  ['renew', (world) => answered(world.lending, 'POST', 'sys/leases/renew', { lease_id: id(world, 2), increment: 200 })],
  [
    'tick',
    async ({ lending, clock }) => {
      await clock.advance(100_000)
      await ticked(lending)
    },
  ],
  ['revoke', (world) => answered(world.lending, 'POST', 'sys/leases/revoke', { lease_id: id(world, 2) })],
  [
    'issue some',
    async (world) => {
      for (let guest = 0; guest < 20; guest++) world.known.push(await world.lending.enter({ ttl: 9000 }))
    },
  ],
  ['revoke by prefix', ({ lending }) => answered(lending, 'POST', 'sys/leases/revoke-prefix/lend')],
  ['issue the last', async (world) => void world.known.push(await world.lending.enter({ ttl: 9000 }))],
  ['disable', ({ lending }) => answered(lending, 'DELETE', 'sys/mounts/lend')],
  ['tick at last', async ({ lending }) => ticked(lending)],
]

/** Ticks, and throws the first failure, which `tick` returns instead of throwing. */
async function ticked({ kernel }: LendingWorld): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed[0]) throw failed[0].error
}

async function tickUntilDone({ lending, clock }: World): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { done, failed, more } = await lending.kernel.tick()
    expect(failed).toEqual([])
    if (more) await clock.advance(TAKEOVER)
    else if (done === 0) return
  }
  throw new Error('there is always something due')
}

/** The records are consistent: every lease has its indexes and its due record, and there are no others. */
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
  const setup = await openLendingWorld({ storage: inner, clock })
  await setup.token()
  const { rootToken } = setup
  await setup.kernel.close()

  const storage = crashingStorage(inner, at === undefined ? {} : { crashAt: at, when })
  const world: World = { lending: await openLendingWorld({ storage, clock, known: rootToken }), clock, known: [] }
  for (const [, step] of WORK) {
    const [outcome] = await Promise.allSettled([step(world)])
    if (outcome.status === 'rejected') {
      if (!storage.crashed) throw outcome.reason
      break
    }
  }
  expect(storage.crashed).toBe(at !== undefined)
  const { commits } = storage
  await world.lending.kernel.close()

  const lending = await openLendingWorld({ storage: inner, clock, known: rootToken })
  const next: World = { ...world, lending }
  await tickUntilDone(next)
  const there = await lending.ask('GET', 'sys/mounts/lend')
  const good: string[] = []
  for (const { id: lease, guest } of world.known) if ((await lending.look(lease)) === 200) good.push(guest)
  if (there.status === 200) {
    // Every admitted guest has a lease that will end, and every guest with a valid lease is admitted.
    const guests = await lending.guests()
    expect(guests).toEqual(expect.arrayContaining(good))
    expect((await inner.list('l/core/lease-mount/')).length).toBe(guests.length)
    await checkRecords(inner, await tokenLeases(inner))
    await clock.advance(10_000_000)
    await tickUntilDone(next)
    expect(await lending.guests()).toEqual([])
  } else expect(good).toEqual([])
  await lending.kernel.leases.revokePrefix({ prefix: 'auth' })
  await tickUntilDone(next)
  for (const folder of ['lease', 'lease-mount', 'lease-owner', 'lease-stuck', 'ending-walk'])
    expect(await inner.list(`l/core/${folder}/`)).toEqual([])
  expect(await inner.list('l/due/')).toEqual([])
  await lending.kernel.close()
  return commits
}

/** Crashes at every `stride`th commit of issuing, renewing, revoking, expiring and disabling, beginning with commit `first`. */
export async function crashAtEach(when: 'before' | 'after', first: number, stride: number): Promise<void> {
  const total = await crash(undefined, when)
  expect(total).toBeGreaterThan(40)
  for (let at = first; at <= total; at += stride) {
    await crash(at, when).catch((error: unknown) => {
      throw new Error(`crash ${when} commit ${at} of ${total}`, { cause: error })
    })
  }
}
