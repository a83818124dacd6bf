/**
 * A process is paused at any call that it makes of the store or the database, and another one takes over: what is stored holds, and the paused
 * one commits nothing of what it had begun when it goes on.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { MEMORY, SHARED_STORES } from '../fixtures/stores.ts'
import { SLOW } from '../property/support.ts'
import type { Point } from './database-process.ts'
import { WORKS, type Work } from './database-works.ts'
import { slowly, World } from './database-world.ts'
import { DEADLINE } from './hanging-world.ts'
import { sampledPoints } from './sampled-points.ts'

/** What others take up is theirs: leases by their end, due work by its claim. Of the rest, what was begun by a commit. */
const TAKEN_UP = new Set(['renew', 'revoke', 'expiry', 'due rotation'])

/** All that the process calls; the last one is its last commit. */
async function pointsOf(work: Work): Promise<readonly Point[]> {
  const world = await World.furnished()
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  const process = await world.start()
  const points: Point[] = []
  process.at((point) => void points.push(point))
  await world.drive(world.clock, work.run(process, world))
  process.at(undefined)
  await world.drive(world.clock, process.kernel.close())
  return points
}

async function pauseAt(world: World, work: Work, at: number): Promise<void> {
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  const clock = fakeClock(world.clock.now())
  const paused = await world.start(clock)
  const before = paused.commits
  let passed = 0
  let goOn = (): void => {}
  let where: Point | undefined
  const held = new Promise<void>((resolve) => {
    paused.at((point) => {
      if (passed++ !== at) return
      where = point
      resolve()
      return new Promise<void>((go) => {
        goOn = go
      })
    })
  })
  const working = work.run(paused, world)
  await world.drive(clock, Promise.race([held, working]))
  // A store that answers at once makes fewer calls of a process than one that does not.
  const mayCommit = paused.commits === before && !TAKEN_UP.has(work.name)

  const heir = await world.start()
  await world.calm(heir)
  for (const path of ['rotate-role/known', 'rotate-root/main'])
    expect((await world.drive(world.clock, heir.ask('POST', `database/${path}`))).status).toBe(204)

  const committed = paused.commits
  clock.set(world.clock.now())
  // A process that was stopped while it waited sees its timers first. At a commit it goes on as if nothing had been.
  if (where && where.call !== 'commit') await clock.advance(2 * DEADLINE)
  goOn()
  await world.drive(clock, working)
  if (!mayCommit) expect(paused.commits).toBe(committed)
  await world.drive(clock, paused.kernel.close())

  await world.calm(heir)
  await world.check(heir)
}

describe.each(await Promise.all(WORKS.map(async (work) => ({ ...work, points: await pointsOf(work) }))))('$name', (work) => {
  const points = work.points.map((point, at) => ({ ...point, at }))
  it.each(sampledPoints(points))('paused $when $call ($at)', async ({ at }) => {
    await pauseAt(await World.furnished({ storage: memoryStorage({ maxOps: 128 }) }), work, at)
  })
})

const SOME = SLOW ? 1 : 23
/** One of each way in which others take up what was begun. */
const ORDINARY = ['creds', 'expiry', 'static update', 'rotate-root']

describe.each(SHARED_STORES.filter((store) => store !== MEMORY))('on $name', (store) => {
  it.each(WORKS.map((work, index) => ({ ...work, index })).filter(({ name }) => SLOW || ORDINARY.includes(name)))(
    '$name',
    { timeout: 600_000 },
    async ({ index, ...work }) => {
      const points = await pointsOf(work)
      for (let at = index % SOME; at < points.length; at += SOME) {
        const { storage, drop } = await store.open()
        try {
          await pauseAt(await World.furnished({ storage, drive: slowly }), work, at).catch((error: unknown) => {
            throw new Error(`paused ${points[at]?.when} ${points[at]?.call} (${at})`, { cause: error })
          })
        } finally {
          await drop()
        }
      }
    },
  )
})
