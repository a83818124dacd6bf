/** The failure matrix of the database engine: how a call fails, how the server behaves afterwards, and how one cell is run. */
import { expect } from 'vitest'
import type { DatabaseCall, DatabaseTrouble } from '../../src/testing/index.ts'
import type { Point, Process } from './database-process.ts'
import { MINUTE, WORKS, type Work } from './database-works.ts'
import { World } from './database-world.ts'
import { DEADLINE } from './hanging-world.ts'

/** How a call fails, before or after it takes effect. A refusal guarantees that nothing was changed, so it is always before. */
const WRONG = [
  ['is refused', 'refuses', 'before'],
  ['finds the database unreachable', 'unreachable', 'before'],
  ['is never answered and is not applied', 'hangs', 'before'],
  ['is never answered, but is applied', 'hangs', 'after'],
  ['is never answered, ignores its signal and is not applied', 'deaf', 'before'],
  ['is never answered, ignores its signal, but is applied', 'deaf', 'after'],
  ['is applied, and the reply is lost', 'loses', 'after'],
  ['throws an unknown error', 'throws', 'before'],
  ['is applied and throws an unknown error', 'throws', 'after'],
] as const satisfies readonly (readonly [string, string, 'before' | 'after'])[]

/** How the server behaves for a while after the failure. */
const THEN = {
  'and then the database works': undefined,
  'and then the database is unreachable for a while': 'unreachable',
  'and then the database refuses all calls for a while': 'refuses',
} as const

/** The minutes before each tick during that time, ten in total. */
const TICKS = [1, 1, 2, 3, 3]

const CALLS: readonly DatabaseCall[] = ['connect', 'createUser', 'updateUser', 'deleteUser']

export type Aftermath = keyof typeof THEN

const AFTERMATHS = Object.keys(THEN) as readonly Aftermath[]

async function begun(work: Work): Promise<{ readonly world: World; readonly process: Process }> {
  const world = await World.furnished()
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return { world, process: await world.start() }
}

/** Every call of the process during its work, if nothing fails. */
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
  for (const minutes of TICKS) {
    await process.clock.advance(minutes * MINUTE)
    await process.tick()
  }
  for (const end of over) end()
}

export interface WorkAndPoints {
  readonly work: Work
  /** Every call of the process during the work, if nothing fails. */
  readonly points: readonly Point[]
}

export const worksAndPoints = (): Promise<readonly WorkAndPoints[]> =>
  Promise.all(WORKS.map(async (work) => ({ work, points: await pointsOf(work) })))

/** A call that fails. */
export interface Cell {
  readonly work: Work
  readonly name: string
  readonly call: DatabaseCall
  readonly what: string
  readonly manner: (typeof WRONG)[number][1]
  readonly when: 'before' | 'after'
  readonly then: Aftermath
}

/** Every call of a work, every way to fail, and every aftermath. */
export function cellsOf({ work, points }: WorkAndPoints): readonly Cell[] {
  const outsideCalls = points.filter(({ call, when }) => call !== 'commit' && call !== 'read' && when === 'before')
  const calls = [...new Set(outsideCalls.map(({ call }) => call as DatabaseCall))]
  return calls.flatMap((call) =>
    WRONG.flatMap(([what, manner, when]) =>
      AFTERMATHS.map((then) => ({ work, name: work.name, call, what, manner, when, then })),
    ),
  )
}

export async function goWrong({ work, call, manner, when, then }: Cell): Promise<void> {
  const { world, process } = await begun(work)
  const root = 'root-password'
  const thrown = manner === 'throws' ? new Error(`login failed for root with ${root}`) : manner
  world.database.trouble({ call, manner: thrown, when } satisfies DatabaseTrouble)
  const answer = await world.drive(world.clock, work.run(process, world), 3 * DEADLINE)
  if (answer) expect(answer.status).toBe(502)
  await suffer(world, process, then)
  await world.calm(process)
  await world.check(process)
}

/** A process that dies at the call with index `at`. */
export interface Death extends Point {
  readonly work: Work
  readonly name: string
  readonly at: number
  readonly then: Aftermath
}

/** Deaths before and after every call of a work except reads of the store, with every aftermath. */
export const deathsOf = ({ work, points }: WorkAndPoints): readonly Death[] =>
  points
    .map((point, at) => ({ ...point, at, work, name: work.name }))
    .filter(({ call }) => call !== 'read')
    .flatMap((way) => AFTERMATHS.map((then) => ({ ...way, then })))

export async function die({ work, at, then }: Death): Promise<void> {
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
}
