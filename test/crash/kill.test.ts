/**
 * A process that works on a store and is killed at any moment, again and again: after each kill the store opens, everything that was
 * acknowledged is there, what was under way is there as a whole or not at all, and nothing else has changed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { type Clock, systemClock } from '../../src/index.ts'
import { startChild } from '../fixtures/child.ts'
import { type House, openHouse } from '../fixtures/lending.ts'
import { randomOf } from './lane.ts'
import { VERSIONED } from './perform.ts'
import { LaneRecord } from './survivor.ts'
import type { Told, WorkerArguments } from './worker.child.ts'

const SLOW = Boolean(process.env['SLOW'])
const KILLS = SLOW ? 200 : 20
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
/** What a kernel waits before it takes over a claim of one that died. */
const TAKEOVER = 31_000
/** The most messages a worker tells before it is killed; three and a half belong to one act of a lane on average. */
const MOST_TOLD = SLOW ? 400 : 200
const LANES = ['a', 'b', 'c']
const AUTO = 'rotates-by-itself'

let path: string
let rootToken: string
const lanes = LANES.map((lane) => new LaneRecord(lane))
const random = randomOf(20_260_101)

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  await withHouse(START, undefined, async ({ kernel }) => {
    rootToken = kernel.rootToken as string
    await kernel.mounts.createMount({ path: VERSIONED, type: 'kv', options: { version: '2' } })
    await kernel.transit.createKey({ name: AUTO, auto_rotate_period: '1h' })
  })
})

afterAll(() => rm(path, { recursive: true, force: true }))

async function withHouse<T>(
  now: number,
  known: string | undefined,
  use: (house: House, clock: { now: number }) => Promise<T>,
): Promise<T> {
  const storage = lmdbStorage({ path })
  const time = { now }
  const clock: Clock = { now: () => time.now, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 1), signal) }
  const house = await openHouse({ storage, clock, ...(known === undefined ? {} : { known }) })
  const used = await use(house, time)
  await house.kernel.close()
  await storage.close()
  return used
}

/** Lets a worker work until it has told of `enough`, kills it a moment later, and notes all it told. */
async function workUntilKilled(args: WorkerArguments, enough: number, delay: number): Promise<void> {
  const worker = startChild('test/crash/worker.child.ts', args)
  let told = 0
  for await (const message of worker.told) {
    const news = message as Told
    if (news.tells === 'ticked') expect(news.failed).toEqual([])
    else if (news.tells !== 'open') lanes[LANES.indexOf(news.lane)]?.note(news)
    if (++told === enough) setTimeout(() => worker.kill(), delay)
  }
  expect(await worker.ended).toBe('killed')
}

describe('a store in LMDB whose process is killed while it opens it for the first time', () => {
  it('is as it was or complete', async () => {
    let toOpen = 0
    for (let kill = 0; kill < (SLOW ? 30 : 4); kill++) {
      const fresh = await mkdtemp(join(tmpdir(), 'strongroom-'))
      const began = performance.now()
      const worker = startChild('test/crash/worker.child.ts', { path: fresh, seed: kill, now: START, lanes: {} })
      // The first one is killed when it is open; the others on their way there.
      if (toOpen > 0) setTimeout(() => worker.kill(), toOpen * (0.5 + 0.6 * random()))
      let token: string | undefined
      for await (const message of worker.told) {
        const news = message as Told
        if (news.tells !== 'open') continue
        token = news.rootToken
        toOpen = Math.max(toOpen, performance.now() - began)
        worker.kill()
      }
      expect(await worker.ended).toBe('killed')

      const storage = lmdbStorage({ path: fresh })
      const house = await openHouse({ storage })
      const known = token ?? house.kernel.rootToken
      // Whoever died before it could tell leaves a store without a root token that anybody knows; it works all the same.
      if (known !== undefined) expect((await house.kernel.tokens.lookupToken({ token: known })).policies).toEqual(['root'])
      await house.kernel.transit.createKey({ name: 'k' })
      await house.kernel.close()
      await storage.close()
      await rm(fresh, { recursive: true, force: true })
    }
  })
})

describe(`a store in LMDB whose process is killed ${KILLS} times`, () => {
  it(
    'has all that was acknowledged and nothing by halves',
    async () => {
      let versions = 1
      for (let kill = 0; kill < KILLS; kill++) {
        const now = START + (kill + 1) * HOUR
        const args = {
          path,
          seed: kill,
          now,
          known: rootToken,
          lanes: Object.fromEntries(lanes.map((record) => [record.lane, record.start])),
        }
        await workUntilKilled(args, 1 + Math.floor(random() * MOST_TOLD), random() * 5)
        await withHouse(now + HOUR / 2, rootToken, async (house) => {
          for (const record of lanes) await record.settle(house)
          const { latest_version } = await house.kernel.transit.readKey({ name: AUTO })
          // Once for each hour at the most: nothing is made up for.
          expect([versions, versions + 1]).toContain(latest_version)
          versions = latest_version
        }).catch((error: unknown) => {
          throw new Error(`after kill ${kill + 1}`, { cause: error })
        })
      }
      for (const { acknowledged } of lanes) expect(acknowledged).toBeGreaterThan(KILLS)
      expect(versions).toBeGreaterThan(KILLS / 4)
    },
    KILLS * 20_000,
  )

  it('leaves nothing behind once tick has run', async () => {
    await withHouse(START + (KILLS + 1) * HOUR, rootToken, async (house, time) => {
      const { kernel } = house
      for (let round = 0; round < 20; round++) {
        const { done, failed, more } = await kernel.tick({ limit: 100_000 })
        expect(failed).toEqual([])
        if (more) time.now += TAKEOVER
        else if (done === 0) break
      }
      const storage = lmdbStorage({ path })
      const keys = (await storage.scan('')).map(({ key }) => key.split('/'))
      await storage.close()
      const inFolder = (folder: string) => keys.filter((parts) => parts[2] === folder).length

      let material = 0
      for (const name of (await kernel.transit.listKeys()).keys) {
        const { latest_version, min_available_version } = await kernel.transit.readKey({ name })
        material += latest_version - Math.max(1, min_available_version) + 1
      }
      expect(inFolder('material')).toBe(material)
      const due = keys.filter((parts) => parts[1] === 'due')
      expect(due.filter((parts) => Number(parts[3]) <= time.now)).toEqual([])
      // Every guest has the lease it came with, and every lease its guest.
      const guests = await house.guests()
      for (const lane of LANES) {
        const leases = (await house.ask('LIST', `sys/leases/lookup/lend/creds/${lane}`)).data?.['keys'] as
          | readonly string[]
          | undefined
        expect(guests.filter((guest) => guest.startsWith(`${lane}-`)).length).toBe(leases?.length ?? 0)
      }
      // And every token its accessor.
      expect(inFolder('accessor')).toBe(inFolder('token'))
    })
  })
})
