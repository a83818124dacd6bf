/** The failure matrix of the cloud engine: how a call fails, how the cloud behaves afterwards, and how one cell is run. */
import { expect } from 'vitest'
import type { CloudCall, CloudTrouble } from '../../src/testing/index.ts'
import type { Point, Process } from './cloud-process.ts'
import { type Known, MINUTE, WORKS, type Work } from './cloud-works.ts'
import { World, type WorldOptions } from './cloud-world.ts'
import { DEADLINE } from './hanging-world.ts'

/**
 * How a call fails, before or after it takes effect, and what the kernel can know about it. A refusal guarantees that nothing was changed,
 * so it is always before.
 */
const WRONG = [
  ['is refused', 'refuses', 'before', 'refused'],
  ['is throttled', 'throttled', 'before', 'throttled'],
  ['is answered with 500', 'fails', 'before', 'lost'],
  ['finds the cloud unreachable', 'unreachable', 'before', 'lost'],
  ['is not applied, and the connection is lost', 'loses', 'before', 'lost'],
  ['is applied, and the reply is lost', 'loses', 'after', 'lost'],
  ['is applied, and the answer is invalid', 'garbles', 'after', 'unclear'],
  ['is never answered and is not applied', 'hangs', 'before', 'lost'],
  ['is never answered, but is applied', 'hangs', 'after', 'lost'],
  ['is never answered, ignores its signal and is not applied', 'deaf', 'before', 'lost'],
  ['is never answered, ignores its signal, but is applied', 'deaf', 'after', 'lost'],
  ['throws an unknown error', 'throws', 'before', 'unclear'],
  ['is applied and throws an unknown error', 'throws', 'after', 'unclear'],
] as const satisfies readonly (readonly [string, string, 'before' | 'after', Known])[]

/** How the cloud behaves for a while after the failure. */
const THEN = {
  'and then the cloud works': undefined,
  'and then the cloud is unreachable for a while': 'unreachable',
  'and then the cloud refuses all calls for a while': 'refuses',
  'and then the cloud throttles all calls for a while': 'throttled',
} as const

/** The minutes before each tick during that time, ten in total. */
const LOOKS = [1, 1, 2, 3, 3]

export type Aftermath = keyof typeof THEN

export const AFTERMATHS = Object.keys(THEN) as readonly Aftermath[]

const isCloudCall = (call: Point['call']): call is CloudCall => call !== 'commit' && call !== 'read'

async function begun(work: Work, options: WorldOptions = {}): Promise<{ readonly world: World; readonly process: Process }> {
  const world = await World.furnished({ unleased: work.unleased, ...options })
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return { world, process: await world.start() }
}

export interface WorkAndPoints {
  readonly work: Work
  /** Every call of the process during the work, if nothing fails. */
  readonly points: readonly Point[]
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
  await world.check(process, work.deletes)
  return points
}

export const worksAndPoints = (): Promise<readonly WorkAndPoints[]> =>
  Promise.all(WORKS.map(async (work) => ({ work, points: await pointsOf(work) })))

async function suffer(world: World, process: Process, then: Aftermath, deleted: string | undefined): Promise<void> {
  await world.holds(process, deleted)
  const manner = THEN[then]
  if (!manner) return
  const end = world.cloud.trouble({ manner, times: Number.POSITIVE_INFINITY })
  for (const minutes of LOOKS) {
    await process.clock.advance(minutes * MINUTE)
    await process.tick()
    await world.holds(process, deleted)
  }
  end()
}

/** A call that fails. */
export interface Cell {
  readonly work: Work
  readonly name: string
  readonly call: CloudCall
  readonly what: string
  readonly manner: (typeof WRONG)[number][1]
  readonly when: 'before' | 'after'
  readonly known: Known
  readonly then: Aftermath
}

/** Every call of a work, every way to fail, and every aftermath. */
export function cellsOf({ work, points }: WorkAndPoints): readonly Cell[] {
  const outsideCalls = points.filter(({ call, when }) => isCloudCall(call) && when === 'before')
  const calls = [...new Set(outsideCalls.map(({ call }) => call as CloudCall))]
  return calls.flatMap((call) =>
    WRONG.flatMap(([what, manner, when, known]) =>
      AFTERMATHS.map((then) => ({ work, name: work.name, call, what, manner, when, known, then })),
    ),
  )
}

export async function goWrong({ work, call, manner, when, known, then }: Cell, options: WorldOptions = {}): Promise<void> {
  const { world, process } = await begun(work, options)
  const thrown = manner === 'throws' ? new Error('SignatureDoesNotMatch: root-secret-root-secret-root-secret-0000') : manner
  world.cloud.trouble({ call, manner: thrown, when } satisfies CloudTrouble)
  const answer = await world.drive(world.clock, work.run(process, world), 4 * DEADLINE)
  const mended = work.mends?.(call, known, when, manner) === true
  if (answer && mended) expect(await work.done?.(answer, world, process)).toBe(true)
  if (answer) expect(answer.status === 502).toBe(!mended)
  await suffer(world, process, then, work.deletes)
  await world.calm(process)
  if (work.eventually) expect(await work.eventually(world, process)).toBe(true)
  await world.check(process, work.deletes)
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
    process.at(() => {
      if (passed++ !== at) return
      process.die()
      resolve()
    })
  })
  const answered = await Promise.race([world.drive(world.clock, died), work.run(process, world)])
  expect(answered).toBeUndefined()
  const next = await world.start()
  await suffer(world, next, then, work.deletes)
  await world.calm(next)
  if (work.eventually) expect(await work.eventually(world, next)).toBe(true)
  await world.check(next, work.deletes)
}
