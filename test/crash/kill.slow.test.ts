/**
 * A process that works on a store is killed repeatedly. After each kill the store opens, every acknowledged change is stored, every change
 * in progress is stored completely or not at all, and nothing else has changed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, type Storage, systemClock } from '../../src/index.ts'
import { startChild } from '../fixtures/child.ts'
import { type LendingWorld, openLendingWorld } from '../fixtures/lending.ts'
import type { Place } from '../fixtures/places.ts'
import { runs } from '../fixtures/runs.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { randomOf } from './lane.ts'
import { checkLogins, letIn, ORCHESTRATED } from './logins.ts'
import { AUTO, VERSIONED } from './perform.ts'
import { openToInspect } from './store-at.ts'
import { STORES_AT } from './stores-at.ts'
import { LaneRecord } from './survivor.ts'
import type { ChildMessage, WorkerArguments } from './worker.child.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
/** Milliseconds that a kernel waits before it takes over the claim of a dead process. */
const TAKEOVER = 31_000
const OPENINGS = runs({ quick: 3, soak: 30 })
/** The maximum number of messages of a worker before it is killed: two for each act and one for each tick. */
const MAX_REPORTED = runs({ quick: 200, soak: 400 })
/** One of this many workers lives until it has rotated the key that is due. */
const LONG_LIVED = 3
/** The maximum number of ticks until then. A worker whose ticks do not rotate the key would otherwise run forever. */
const MAX_TICKS = 2000
const LANES = ['a', 'b', 'c']

/** How often the worker on each store is killed. */
const KILLS = {
  LMDB: runs({ quick: 12, soak: 200 }),
  PostgreSQL: runs({ quick: 5, soak: 200 }),
  etcd: runs({ quick: 2, soak: 40 }),
}
const KINDS = STORES_AT.map((store) => ({ ...store, kills: KILLS[store.name] }))

interface Time {
  now: number
}

/** Opens a kernel in this process after the store has finished the work of all others. */
async function withLendingWorld<T>(
  at: StoreAt,
  options: { readonly now: number; readonly known?: string | undefined },
  use: (lending: LendingWorld, time: Time, storage: Storage) => Promise<T>,
): Promise<T> {
  const { storage, idle, close } = openToInspect(at)
  await idle()
  const time = { now: options.now }
  const clock: Clock = { now: () => time.now, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 1), signal) }
  const lending = await openLendingWorld({
    ...ORCHESTRATED,
    storage,
    clock,
    ...(options.known === undefined ? {} : { known: options.known }),
  })
  const used = await use(lending, time, storage)
  await lending.kernel.close()
  await close()
  return used
}

describe.each(KINDS)('a store in $name', ({ kills, missing, open }) => {
  let store: Place
  let rootToken = ''
  const unless = missing ? ` (${missing})` : ''
  const lanes = LANES.map((lane) => new LaneRecord(lane))
  const random = randomOf(20_260_101)
  let killed = 0

  beforeAll(async () => {
    if (missing) return
    store = await open()
    await withLendingWorld(store.where, { now: START }, async ({ kernel }) => {
      rootToken = kernel.rootToken as string
      await kernel.mounts.createMount({ path: VERSIONED, type: 'kv', options: { version: '2' } })
      await kernel.transit.createKey({ name: AUTO, auto_rotate_period: '1h' })
      await letIn(kernel)
    })
  })

  afterAll(() => store?.remove())

  /**
   * Runs a worker until it has sent `enough` messages, or as many after it has rotated the key beyond `version`; kills it a moment later,
   * and records all its messages.
   */
  async function workUntilKilled(args: WorkerArguments, enough: number, delay: number, version = 0): Promise<void> {
    const worker = startChild('test/crash/worker.child.ts', args)
    let messageCount = 0
    let rotated = version === 0
    let ticks = 0
    for await (const message of worker.messages) {
      const news = message as ChildMessage
      if (news.type === 'ticked') {
        expect(news.failed).toEqual([])
        rotated ||= news.rotated > version
        if (!rotated && ++ticks === MAX_TICKS) {
          worker.kill()
          throw new Error(`${MAX_TICKS} ticks have not rotated the key`)
        }
      } else if (news.type !== 'open') lanes[LANES.indexOf(news.lane)]?.note(news)
      if (rotated && ++messageCount === enough) setTimeout(() => worker.kill(), delay)
    }
    expect(await worker.ended).toBe('killed')
  }

  it.skipIf(missing)(
    `has every acknowledged change after ${kills} kills of its process, and no change partially${unless}`,
    async () => {
      let versions = 1
      const isEnough = () => lanes.every(({ acknowledged }) => acknowledged > kills)
      for (; killed < kills || !isEnough(); killed++) {
        const now = START + (killed + 1) * HOUR
        const begun = Object.fromEntries(lanes.map((record) => [record.lane, record.start]))
        const args = { at: store.where, seed: killed, now, known: rootToken, lanes: begun }
        const isLongLived = killed % LONG_LIVED === 0
        await workUntilKilled(args, 1 + Math.floor(random() * MAX_REPORTED), random() * 5, isLongLived ? versions : 0)
        await withLendingWorld(store.where, { now: now + HOUR / 2, known: rootToken }, async (lending) => {
          for (const record of lanes) await record.settle(lending)
          const { latest_version } = await lending.kernel.transit.readKey({ name: AUTO })
          // At most one rotation per hour: missed rotations are not made up for.
          expect([versions, versions + 1]).toContain(latest_version)
          versions = latest_version
        }).catch((error: unknown) => {
          throw new Error(`after kill ${killed + 1}`, { cause: error })
        })
      }
      expect(versions).toBeGreaterThan(kills / LONG_LIVED)
    },
  )

  it.skipIf(missing)(`has no orphaned records after ticks that follow the kills${unless}`, async () => {
    await withLendingWorld(
      store.where,
      { now: START + (killed + 1) * HOUR, known: rootToken },
      async (lending, time, storage) => {
        const { kernel } = lending
        for (let round = 0; round < 20; round++) {
          const { done, failed, more } = await kernel.tick({ limit: 100_000 })
          expect(failed).toEqual([])
          if (more) time.now += TAKEOVER
          else if (done === 0) break
        }
        const keys = (await storage.scan('')).map(({ key }) => key.split('/'))
        const inFolder = (folder: string) => keys.filter((parts) => parts[2] === folder).length

        let material = 0
        for (const name of (await kernel.transit.listKeys()).keys) {
          const { latest_version, min_available_version } = await kernel.transit.readKey({ name })
          material += latest_version - Math.max(1, min_available_version) + 1
        }
        expect(inFolder('material')).toBe(material)
        const due = keys.filter((parts) => parts[1] === 'due')
        expect(due.filter((parts) => Number(parts[3]) <= time.now)).toEqual([])
        // Every guest has its lease, and every lease its guest.
        const guests = await lending.guests()
        for (const lane of LANES) {
          const { data } = await lending.ask('LIST', `sys/leases/lookup/lend/creds/${lane}`)
          const leases = data?.['keys'] as readonly string[] | undefined
          expect(guests.filter((guest) => guest.startsWith(`${lane}-`)).length).toBe(leases?.length ?? 0)
        }
        // Every token has its accessor, and every token of a login its entity.
        expect(inFolder('accessor')).toBe(inFolder('token'))
        await checkLogins(kernel)
        expect(inFolder('entity')).toBe(inFolder('alias'))
      },
    )
  })

  it.skipIf(missing)(
    `is either empty or completely initialized after the first process to open it was killed${unless}`,
    async () => {
      let toOpen = 0
      for (let kill = 0; kill < OPENINGS; kill++) {
        const fresh = await open()
        const began = performance.now()
        const worker = startChild('test/crash/worker.child.ts', { at: fresh.where, seed: kill, now: START, lanes: {} })
        // The first worker is killed after it has opened the store, the others before.
        if (toOpen > 0) setTimeout(() => worker.kill(), toOpen * (0.5 + 0.6 * random()))
        let rootToken: string | undefined
        for await (const message of worker.messages) {
          const news = message as ChildMessage
          if (news.type !== 'open') continue
          rootToken = news.rootToken
          toOpen = Math.max(toOpen, performance.now() - began)
          worker.kill()
        }
        expect(await worker.ended).toBe('killed')

        await withLendingWorld(fresh.where, { now: START }, async ({ kernel }) => {
          const known = rootToken ?? kernel.rootToken
          // If the process died before it reported the root token, no process knows one, but the store works.
          if (known !== undefined) expect((await kernel.tokens.lookupToken({ token: known })).policies).toEqual(['root'])
          await kernel.transit.createKey({ name: 'k' })
          expect((await kernel.transit.listKeys()).keys).toEqual(['k'])
        })
        await fresh.remove()
      }
    },
  )
})
