/** A process is paused at one of its calls to the store or to a server, and another process takes over. It works with any server. */
import { expect } from 'vitest'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'

interface Call {
  readonly call: string
}

interface PausableProcess<P extends Call> {
  /** Commits of work that took effect. */
  readonly commits: number
  readonly kernel: { close(): Promise<void> }
  at(hook: ((point: P) => Promise<void> | void) | undefined): void
}

interface PausableWorld<P extends Call, Q extends PausableProcess<P>> {
  readonly clock: FakeClock
  readonly drive: <T>(clock: FakeClock, work: Promise<T>, most?: number) => Promise<T>
  start(clock?: FakeClock): Promise<Q>
  /** Lets enough time pass for everything that was put off. */
  calm(process: Q): Promise<void>
}

/** Every call of a process during its work, in order; the last one is its last commit. */
export async function callsOf<P extends Call, Q extends PausableProcess<P>>(
  world: PausableWorld<P, Q>,
  run: (process: Q) => Promise<unknown>,
): Promise<readonly P[]> {
  const process = await world.start()
  const points: P[] = []
  process.at((point) => void points.push(point))
  await world.drive(world.clock, run(process))
  process.at(undefined)
  await world.drive(world.clock, process.kernel.close())
  return points
}

export interface Pause<P extends Call, Q extends PausableProcess<P>> {
  readonly world: PausableWorld<P, Q>
  /** The index of the call at which the process is paused. */
  readonly at: number
  readonly run: (process: Q) => Promise<unknown>
  /** Whether another process can always take the work over, when the lease ends or the claim expires. */
  readonly isTakenUp: boolean
  /** Milliseconds that have passed for the paused process when it is resumed while it waits for a call. */
  readonly resumedAfterMs: number
  /** Work of the process that takes over. */
  readonly takeOver: (heir: Q) => Promise<void>
  /** Checked after the paused process has ended its work. */
  readonly expectResumed?: (heir: Q) => Promise<void>
  readonly check: (heir: Q) => Promise<void>
}

export async function pauseDuring<P extends Call, Q extends PausableProcess<P>>({
  world,
  at,
  run,
  isTakenUp,
  resumedAfterMs,
  takeOver,
  expectResumed,
  check,
}: Pause<P, Q>): Promise<void> {
  const clock = fakeClock(world.clock.now())
  const paused = await world.start(clock)
  const before = paused.commits
  let passed = 0
  let goOn = (): void => {}
  let where: P | undefined
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
  const working = run(paused)
  await world.drive(clock, Promise.race([held, working]))
  // The number of calls before a commit depends on whether the store reads synchronously, so compare the commits, not the index.
  const mayCommit = paused.commits === before && !isTakenUp

  const heir = await world.start()
  await world.calm(heir)
  await takeOver(heir)

  const committed = paused.commits
  clock.set(world.clock.now())
  // A process that is resumed while it waits for a call runs its timers first. A process that is resumed at a commit continues.
  if (where && where.call !== 'commit') await clock.advance(resumedAfterMs)
  goOn()
  await world.drive(clock, working)
  if (!mayCommit) expect(paused.commits).toBe(committed)
  await expectResumed?.(heir)
  await world.drive(clock, paused.kernel.close())

  await world.calm(heir)
  await check(heir)
}
