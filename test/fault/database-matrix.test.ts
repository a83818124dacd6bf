/**
 * Whatever the database does at a call, and wherever the process dies: afterwards the stored passwords are good, every user has a lease, and
 * nothing waits for ever.
 */
import { describe, expect, it } from 'vitest'
import type { DatabaseCall, DatabaseTrouble } from '../../src/testing/index.ts'
import { SLOW } from '../property/support.ts'
import type { Point, Process } from './database-process.ts'
import { MINUTE, WORKS, type Work } from './database-works.ts'
import { World } from './database-world.ts'
import { DEADLINE } from './hanging-world.ts'

/** How a call goes wrong. A refusal comes before, since it says that nothing holds. */
const WRONG = [
  ['is refused', 'refuses', 'before'],
  ['finds nobody', 'unreachable', 'before'],
  ['is never answered, and not applied', 'hangs', 'before'],
  ['is never answered, but applied', 'hangs', 'after'],
  ['is heard by nobody, whatever the signal says', 'deaf', 'before'],
  ['is applied by somebody who never says so, whatever the signal says', 'deaf', 'after'],
  ['is applied, and the reply is lost', 'loses', 'after'],
  ['throws words of its own', 'throws', 'before'],
  ['is applied and throws words of its own', 'throws', 'after'],
] as const

/** What the server does for a while after that. */
const THEN = {
  'and then all is well': undefined,
  'and then nobody is there for a while': 'unreachable',
  'and then everything is refused for a while': 'refuses',
} as const

const CALLS: readonly DatabaseCall[] = ['connect', 'createUser', 'updateUser', 'deleteUser']

type Aftermath = keyof typeof THEN

const AFTERMATHS = Object.keys(THEN) as readonly Aftermath[]

/** Every other way of every call with one of the aftermaths, in turn; with `SLOW` every cell. */
const sampled = <T extends { readonly then: Aftermath }>(cells: readonly T[]): readonly T[] => {
  const count = AFTERMATHS.length
  const turn = (way: number): number => (way + Math.floor(way / WRONG.length)) % count
  return cells.filter(({ then }, at) => {
    const way = Math.floor(at / count)
    return SLOW || (way % 2 === 0 && AFTERMATHS.indexOf(then) === turn(way))
  })
}

async function begun(work: Work): Promise<{ readonly world: World; readonly process: Process }> {
  const world = await World.furnished()
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return { world, process: await world.start() }
}

/** All that the process calls while it does its work, where nothing goes wrong. */
async function pointsOf(work: Work): Promise<readonly Point[]> {
  const { world, process } = await begun(work)
  const points: Point[] = []
  process.at((point) => void points.push(point))
  const answer = await world.drive(world.clock, work.run(process, world))
  expect(answer?.status ?? 200).toBeLessThan(300)
  process.at(undefined)
  if (answer && work.done) expect(await work.done(answer, world, process)).toBe(true)
  await world.check(process)
  return points
}

async function suffer(world: World, process: Process, then: Aftermath): Promise<void> {
  const manner = THEN[then]
  if (!manner) return
  const over = CALLS.map((call) => world.database.trouble({ call, manner, times: Number.POSITIVE_INFINITY }))
  for (let minute = 0; minute < 10; minute++) {
    await process.clock.advance(MINUTE)
    await process.tick()
  }
  for (const end of over) end()
}

describe.each(await Promise.all(WORKS.map(async (work) => ({ ...work, points: await pointsOf(work) }))))('$name', (work) => {
  const asked = work.points.filter(({ call, when }) => call !== 'commit' && call !== 'read' && when === 'before')
  const calls = [...new Set(asked.map(({ call }) => call as DatabaseCall))]

  const wrong = calls.flatMap((call) =>
    WRONG.flatMap(([what, manner, when]) => AFTERMATHS.map((then) => ({ call, what, manner, when, then }))),
  )
  it.each(sampled(wrong))('$call $what, $then', async ({ call, manner, when, then }) => {
    const { world, process } = await begun(work)
    const root = 'root-password'
    const thrown = manner === 'throws' ? new Error(`login failed for root with ${root}`) : manner
    world.database.trouble({ call, manner: thrown, when } satisfies DatabaseTrouble)
    const answer = await world.drive(world.clock, work.run(process, world), 3 * DEADLINE)
    if (answer) expect(answer.status).toBe(502)
    await suffer(world, process, then)
    await world.calm(process)
    await world.check(process)
  })

  const ways = work.points.map((point, at) => ({ ...point, at })).filter(({ call }) => call !== 'read')
  const deaths = ways.flatMap((way) => AFTERMATHS.map((then) => ({ ...way, then })))
  it.each(sampled(deaths))('dies $when $call ($at), $then', async ({ at, then }) => {
    const { world, process } = await begun(work)
    let passed = 0
    const died = new Promise<void>((resolve) => {
      process.at(async () => {
        if (passed++ !== at) return
        await process.die()
        resolve()
      })
    })
    const answered = await Promise.race([world.drive(world.clock, died), work.run(process, world)])
    expect(answered).toBeUndefined()
    const next = await world.start()
    await suffer(world, next, then)
    await world.calm(next)
    await world.check(next)
  })
})
