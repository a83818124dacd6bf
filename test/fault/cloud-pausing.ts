/** A process is paused at one of its calls to the store or the cloud, and another process takes over. */
import { expect } from 'vitest'
import { fakeClock } from '../../src/testing/index.ts'
import type { Point } from './cloud-process.ts'
import { WORKS, type Work } from './cloud-works.ts'
import { World } from './cloud-world.ts'
import { DEADLINE } from './hanging-world.ts'

/** Work that another process can always take over, when the lease ends or the claim expires. Other work must have been begun by a commit. */
const TAKEN_UP = new Set(['revoke', 'expiry', 'static rotation'])

async function begun(work: Work): Promise<World> {
  const world = await World.furnished({ unleased: work.unleased })
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return world
}

/** Every call of the process, in order; the last one is its last commit. */
async function pointsOf(work: Work): Promise<readonly Point[]> {
  const world = await begun(work)
  const process = await world.start()
  const points: Point[] = []
  process.at((point) => void points.push(point))
  await world.drive(world.clock, work.run(process, world))
  process.at(undefined)
  await world.drive(world.clock, process.kernel.close())
  return points
}

/** The call at index `at` of a work. */
export interface PausePoint extends Point {
  readonly work: Work
  readonly at: number
}

/** All points, work by work. */
export const pausePoints = (): Promise<readonly (readonly PausePoint[])[]> =>
  Promise.all(WORKS.map(async (work) => (await pointsOf(work)).map((point, at) => ({ ...point, work, at }))))

export async function pauseAt({ work, at }: PausePoint): Promise<void> {
  const world = await begun(work)
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
  // The number of calls before a commit depends on whether the store reads synchronously, so compare the commits, not the index.
  const mayCommit = paused.commits === before && !TAKEN_UP.has(work.name)

  const heir = await world.start()
  await world.calm(heir)
  await world.holds(heir, work.deletes)
  expect((await world.drive(world.clock, heir.ask('POST', 'cloud/config/rotate-root'))).status).toBe(200)

  const committed = paused.commits
  clock.set(world.clock.now())
  // A process that is resumed while it waits for a call runs its timers first. A process that is resumed at a commit continues.
  if (where && where.call !== 'commit') await clock.advance(3 * DEADLINE)
  goOn()
  await world.drive(clock, working)
  if (!mayCommit) expect(paused.commits).toBe(committed)
  await world.holds(heir, work.deletes)
  await world.drive(clock, paused.kernel.close())

  await world.calm(heir)
  await world.check(heir, work.deletes)
}
