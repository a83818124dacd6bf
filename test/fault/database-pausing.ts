/** A process is paused at one of its calls to the store or the database, and another process takes over. */
import { expect } from 'vitest'
import type { Point } from './database-process.ts'
import { WORKS, type Work } from './database-works.ts'
import { World, type WorldOptions } from './database-world.ts'
import { DEADLINE } from './hanging-world.ts'
import { callsOf, pauseDuring } from './pausing.ts'

/** Work that another process can always take over, when the lease ends or the claim expires. Other work must have been begun by a commit. */
const TAKEN_UP = new Set(['renew', 'revoke', 'expiry', 'due rotation'])

async function begun(work: Work, options: WorldOptions = {}): Promise<World> {
  const world = await World.furnished(options)
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return world
}

async function pointsOf(work: Work): Promise<readonly Point[]> {
  const world = await begun(work)
  return callsOf(world, (process) => work.run(process, world))
}

/** The call at index `at` of a work. */
export interface PausePoint extends Point {
  readonly work: Work
  readonly at: number
}

export const pausePoints = (): Promise<readonly (readonly PausePoint[])[]> =>
  Promise.all(WORKS.map(async (work) => (await pointsOf(work)).map((point, at) => ({ ...point, work, at }))))

export async function pauseAt({ work, at }: PausePoint, options: WorldOptions = {}): Promise<void> {
  const world = await begun(work, options)
  await pauseDuring({
    world,
    at,
    run: (process) => work.run(process, world),
    isTakenUp: TAKEN_UP.has(work.name),
    resumedAfterMs: 2 * DEADLINE,
    async takeOver(heir) {
      for (const path of ['rotate-role/known', 'rotate-root/main'])
        expect((await world.drive(world.clock, heir.ask('POST', `database/${path}`))).status).toBe(204)
    },
    check: (heir) => world.check(heir),
  })
}
