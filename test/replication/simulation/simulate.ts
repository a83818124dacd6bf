/** Runs one schedule: random steps from a seed; then all failures end, and the clusters are compared. */
import { act, astray, burst, together } from './acting.ts'
import { localWrite, sharedWrite, treeMaintainer } from './actions.ts'
import type { Action } from './change.ts'
import { Dice } from './dice.ts'
import { anyNode, disturbances, type Happening } from './disturbances.ts'
import { lie } from './lying.ts'
import { begin, gather, handOver, hasCome, insistOnPrimary, rejoin, reopen, setBack, takeOver } from './roles.ts'
import type { Site } from './site.ts'
import { flip, remember, setBackOne } from './tampering.ts'
import { checkWorld, comeLevel, tickAll } from './verdict.ts'
import { World, type WorldOptions } from './world.ts'

export interface Schedule extends WorldOptions {
  /**
   * The numbers of the steps to run. Each step has its own random source, so leaving out steps does not change others. Default: a random
   * number of steps.
   */
  readonly steps?: readonly number[]
  /** Whether clusters change their roles. */
  readonly roles?: boolean
  /** Whether the primary's store is restored from a backup. */
  readonly restores?: boolean
  /** Whether stored records are changed directly in the store. */
  readonly tampers?: boolean
  /** Replaces the random steps. */
  readonly script?: Script
}

/** The steps of a directed schedule. @throws Violation if a check during the steps fails. */
export type Script = (world: World) => Promise<void>

/** @throws Error with seed and steps if a check fails. */
export async function simulate({ script, ...schedule }: Schedule): Promise<void> {
  const world = new World(schedule)
  try {
    await begin(world)
    if (script) await script(world)
    else await drawn(world, schedule)
    await heal(world)
    await checkWorld(world)
    if (!script && !schedule.tampers && world.dice.chance(0.3)) await underLoad(world)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new Error(`seed ${schedule.seed}: ${why}\n${world.log.join('\n')}`)
  } finally {
    for (const site of world.sites) for (const node of site.live) await world.settle(node.close()).catch(() => {})
  }
}

/** The numbers of all possible steps. */
export const STEPS: readonly number[] = Array.from({ length: 40 }, (_, at) => at)

async function drawn(world: World, { seed, steps, ...kinds }: Omit<Schedule, 'script'>): Promise<void> {
  for (const nth of steps ?? STEPS.slice(0, world.dice.int(10, STEPS.length))) {
    world.dice = new Dice(`${seed} ${nth}`)
    await step(world, kinds)
    await world.bury()
    await afterStep(world, new Dice(`${seed} ${nth} beside`), kinds)
    await world.bury()
  }
  world.dice = new Dice(`${seed} end`)
}

/** Uses a separate random source, so that the steps do not depend on it. */
async function afterStep(world: World, dice: Dice, { restores, tampers }: Kinds): Promise<void> {
  if (dice.chance(0.1)) await lie(world, dice)
  if (!restores && !tampers && dice.chance(0.03)) await rejoin(world, dice.pick(world.others()))
}

type Kinds = Pick<Schedule, 'roles' | 'restores' | 'tampers'>

async function step(world: World, { roles, restores, tampers }: Kinds): Promise<void> {
  const { dice } = world
  const nextAction = (): Promise<Action> => draw(world)
  const others = (): Site => dice.pick(world.others())
  await dice.weighted<() => Promise<void>>([
    [30, () => act(world, 1, nextAction)],
    [12, () => act(world, dice.int(2, 5), nextAction)],
    [2, () => burst(world)],
    ...disturbances(world),
    ...(tampers ? ([[5, () => tamper(world)]] as const) : []),
    ...(restores ? ([[2, () => setBack(world)]] as const) : []),
    ...(roles
      ? ([
          [1, () => takeOver(world, others())],
          [1, () => handOver(world, others())],
          [2, () => gather(world).then(() => {})],
          [2, () => astray(world, others())],
        ] satisfies readonly Happening[])
      : []),
  ])()
}

async function tamper(world: World): Promise<void> {
  const site = world.dice.pick(world.sites)
  await world.dice.pick([remember, flip, setBackOne])(world, site)
}

async function draw(world: World): Promise<Action> {
  const { dice } = world
  return dice.weighted<() => Promise<Action>>([
    [10, async () => sharedWrite(world, await world.kernelAt(world.primary), world.primary.name)],
    [
      4,
      async () => {
        const site = dice.pick(world.sites)
        const kernel = await world.kernelAt(site)
        const local = await hasCome(world, site)
        return local ? localWrite(world, site, kernel, site.name) : treeMaintainer(world, await anyNode(world))
      },
    ],
    [10, async () => treeMaintainer(world, await anyNode(world))],
  ])()
}

async function heal(world: World): Promise<void> {
  world.record('everything is healed')
  world.net.heal()
  world.net.calm = true
  world.net.latency = 0
  for (const site of world.sites) {
    site.skew = 0
    await reopen(world, site)
  }
  for (let tries = 0; !(await gather(world)); tries++) if (tries === 10) throw new Error('not everybody can be made to follow')
  await tickAll(world)
  await insistOnPrimary(world)
  // Processes with a scheduled death may have died by now.
  await world.bury()
  for (const site of world.sites) await reopen(world, site)
}

/** Streaming continues during writes. */
async function underLoad(world: World): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const actions = [1, 2, 3].map(() => sharedWrite(world, world.primary.live[0]?.kernel as never, 'under load'))
    const apart = actions.filter(({ subjects }, at) =>
      actions.slice(0, at).every((action) => !action.subjects.some((subject) => subjects.includes(subject))),
    )
    const ticks = world.sites.flatMap(({ live: nodes }) => nodes.map(({ kernel }) => kernel?.tick()))
    await together(world, apart)
    await world.settle(Promise.all(ticks))
  }
  await comeLevel(world)
}
