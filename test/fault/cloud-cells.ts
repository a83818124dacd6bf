/** What the failure matrix of the cloud engine is made of: how a call goes wrong, what comes after it, and one cell from beginning to end. */
import { expect } from 'vitest'
import type { CloudCall, CloudTrouble } from '../../src/testing/index.ts'
import type { Point, Process } from './cloud-process.ts'
import { type Known, MINUTE, type Work } from './cloud-works.ts'
import { World, type WorldOptions } from './cloud-world.ts'
import { DEADLINE } from './hanging-world.ts'

/** How a call goes wrong, and what is known of it. A refusal comes before, since it says that nothing holds. */
const WRONG = [
  ['is refused', 'refuses', 'before', 'refused'],
  ['is throttled', 'throttled', 'before', 'throttled'],
  ['is answered with 500', 'fails', 'before', 'lost'],
  ['finds nobody', 'unreachable', 'before', 'lost'],
  ['is not applied, and the connection is lost', 'loses', 'before', 'lost'],
  ['is applied, and the reply is lost', 'loses', 'after', 'lost'],
  ['is applied, and the answer is none', 'garbles', 'after', 'unclear'],
  ['is never answered, and not applied', 'hangs', 'before', 'lost'],
  ['is never answered, but applied', 'hangs', 'after', 'lost'],
  ['is heard by nobody, whatever the signal says', 'deaf', 'before', 'lost'],
  ['is applied by somebody who never says so, whatever the signal says', 'deaf', 'after', 'lost'],
  ['throws words of its own', 'throws', 'before', 'unclear'],
  ['is applied and throws words of its own', 'throws', 'after', 'unclear'],
] as const satisfies readonly (readonly [string, string, 'before' | 'after', Known])[]

/** What the cloud does for a while after that. */
const THEN = {
  'and then all is well': undefined,
  'and then nobody is there for a while': 'unreachable',
  'and then everything is refused for a while': 'refuses',
  'and then everything is throttled for a while': 'throttled',
} as const

export type Aftermath = keyof typeof THEN

export const AFTERMATHS = Object.keys(THEN) as readonly Aftermath[]

const isCloudCall = (call: Point['call']): call is CloudCall => call !== 'commit' && call !== 'read'

export async function begun(
  work: Work,
  options: WorldOptions = {},
): Promise<{ readonly world: World; readonly process: Process }> {
  const world = await World.furnished({ unleased: work.unleased, ...options })
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  return { world, process: await world.start() }
}

/** All that the process calls while it does its work, where nothing goes wrong. */
export async function pointsOf(work: Work): Promise<readonly Point[]> {
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

export async function suffer(world: World, process: Process, then: Aftermath, deleted: string | undefined): Promise<void> {
  await world.holds(process, deleted)
  const manner = THEN[then]
  if (!manner) return
  const end = world.cloud.trouble({ manner, times: Number.POSITIVE_INFINITY })
  for (let minute = 0; minute < 10; minute++) {
    await process.clock.advance(MINUTE)
    await process.tick()
    await world.holds(process, deleted)
  }
  end()
}

/** A call that goes wrong. */
export interface Cell {
  readonly call: CloudCall
  readonly what: string
  readonly manner: (typeof WRONG)[number][1]
  readonly when: 'before' | 'after'
  readonly known: Known
  readonly then: Aftermath
}

/** Every call of a work in every way. */
export function cellsOf(points: readonly Point[]): readonly Cell[] {
  const asked = points.filter(({ call, when }) => isCloudCall(call) && when === 'before')
  const calls = [...new Set(asked.map(({ call }) => call as CloudCall))]
  return calls.flatMap((call) =>
    WRONG.flatMap(([what, manner, when, known]) => AFTERMATHS.map((then) => ({ call, what, manner, when, known, then }))),
  )
}

export async function goWrong(work: Work, { call, manner, when, known, then }: Cell, options: WorldOptions = {}): Promise<void> {
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
