/** Runs one schedule of a landscape: random steps from a seed; then all failures end, and the properties are checked. */
import { act, astray, burst } from '../simulation/acting.ts'
import { localWrite, sharedWrite, treeMaintainer } from '../simulation/actions.ts'
import type { Action } from '../simulation/change.ts'
import { Dice } from '../simulation/dice.ts'
import { anyNode, disturbances } from '../simulation/disturbances.ts'
import { reopen, setBack } from '../simulation/roles.ts'
import { begin, hasCome } from './begin.ts'
import { changeFilter, inspect, rejoin, revoke } from './deeds.ts'
import { FRESH } from './fresh.ts'
import { LAYOUTS, Landscape, type LandscapeOptions } from './landscape.ts'
import { gather, handOver, insistOnPrimaries, takeOver, takeOverAlone } from './operators.ts'
import { givenUpIsKept, nobodyDiverged, rootsAgree } from './properties/divergence-known.ts'
import { faultsFound } from './properties/faults-found.ts'
import { filteredIsGone } from './properties/filtered-stays-away.ts'
import { liesDeposeNobody, onePrimary } from './properties/one-primary.ts'
import { replicasEqual } from './properties/replicas-equal.ts'
import { comeLevel, streamsUnderLoad, tickAll } from './properties/streaming-reached.ts'

export type Script = (world: Landscape) => Promise<void>

export interface Schedule extends Omit<LandscapeOptions, 'layout'> {
  /** Default: one of {@link LAYOUTS}. */
  readonly layout?: LandscapeOptions['layout']
  /** The numbers of the steps to run. Each step has its own random source. Default: a random number of steps. */
  readonly steps?: readonly number[]
  /** Replaces the random steps. */
  readonly script?: Script
}

/** The numbers of all possible steps. */
export const STEPS: readonly number[] = Array.from({ length: 30 }, (_, at) => at)

/** @throws Error with seed and steps if a property is violated. */
export async function simulate({ script, steps, layout, ...options }: Schedule): Promise<void> {
  const { seed } = options
  const drawnLayout = new Dice(`${seed} layout`).pick(LAYOUTS)
  const promotion = !script && new Dice(`${seed} promotion`).chance(0.4) ? ({ promotion: 'strict' } as const) : {}
  const replication = { ...promotion, ...options.replication }
  const world = new Landscape({ ...options, replication, layout: layout ?? drawnLayout })
  try {
    await begin(world)
    if (script) await script(world)
    else await drawn(world, seed, steps)
    await heal(world)
    await checkProperties(world, script !== undefined)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new Error(`seed ${seed}, steps ${steps ?? 'all'}: ${why}\n${world.log.join('\n')}`)
  } finally {
    for (const site of world.sites) for (const node of site.live) await world.settle(node.close()).catch(() => {})
  }
}

async function drawn(world: Landscape, seed: string, steps?: readonly number[]): Promise<void> {
  for (const nth of steps ?? STEPS.slice(0, world.dice.int(8, STEPS.length))) {
    world.dice = new Dice(`${seed} ${nth}`)
    await step(world)
    await world.bury()
    await afterStep(world, new Dice(`${seed} ${nth} beside`))
    await world.bury()
    await checkStep(world)
  }
  world.dice = new Dice(`${seed} end`)
}

/** Uses a separate random source, so that the steps do not depend on it. */
async function afterStep(world: Landscape, dice: Dice): Promise<void> {
  if (dice.chance(0.1)) await liesDeposeNobody(world, dice)
  if (dice.chance(0.04)) await rejoin(world, dice.pick(world.others()))
}

/** Checks the properties that hold at every moment. */
export async function checkStep(world: Landscape): Promise<void> {
  world.watch.throwFirstViolation()
  await onePrimary(world)
  if (!world.isRestored) await rootsAgree(world)
}

async function step(world: Landscape): Promise<void> {
  const { dice } = world
  const nextAction = (): Promise<Action> => draw(world)
  const other = () => dice.pick(world.others())
  await dice.weighted<() => Promise<void>>([
    [24, () => act(world, 1, nextAction)],
    [12, () => act(world, dice.int(2, 5), nextAction)],
    [1, () => burst(world)],
    ...disturbances(world),
    [2, () => takeOver(world, other())],
    [2, () => takeOverAlone(world, other())],
    [4, () => handOver(world, other())],
    [4, () => gather(world).then(() => {})],
    [2, () => (world.serves ? astray(world, other()) : Promise.resolve())],
    [2, () => revoke(world, other())],
    [6, () => changeFilter(world)],
    [2, () => inspect(world)],
    [0.5, () => setBack(world)],
  ])()
}

async function draw(world: Landscape): Promise<Action> {
  const { dice } = world
  return dice.weighted<() => Promise<Action>>([
    [10, async () => turning(world, sharedWrite(world, await world.kernelAt(world.primary), world.primary.name))],
    [
      4,
      async () => {
        const site = dice.pick(world.serving())
        const kernel = await world.kernelAt(site)
        const local = await hasCome(world, site)
        return local ? localWrite(world, site, kernel, site.name) : treeMaintainer(world, await anyNode(world))
      },
    ],
    [12, async () => treeMaintainer(world, await anyNode(world))],
  ])()
}

/** Records the cluster that acknowledged a value, and marks that mounts may have moved. */
function turning(world: Landscape, action: Action): Action {
  const { primary } = world
  return {
    ...action,
    run: () =>
      world.watch.turning(async () => {
        const outcome = await action.run()
        const value = action.text.match(FRESH)?.[0]
        if (value !== undefined && outcome === 'done') world.acknowledgedBy.set(value, primary)
        return outcome
      }),
  }
}

async function heal(world: Landscape): Promise<void> {
  world.record('everything is healed')
  world.net.heal()
  world.net.calm = true
  world.net.latency = 0
  for (const site of world.sites) {
    site.skew = 0
    await reopen(world, site)
  }
  await insistOnPrimaries(world)
  for (let tries = 0; !(await gather(world)); tries++) {
    if (tries === 10) throw new Error('not everybody can be made to follow')
    await tickAll(world)
    await insistOnPrimaries(world)
  }
  await tickAll(world)
  await insistOnPrimaries(world)
  await gather(world)
  // Processes with a scheduled death may have died by now.
  await world.bury()
  for (const site of world.sites) await reopen(world, site)
}

async function checkProperties(world: Landscape, isWritten: boolean): Promise<void> {
  await comeLevel(world)
  // Caches may be two seconds old.
  await world.settle(world.clock.advance(5000))
  await replicasEqual(world)
  for (const site of world.sites) await filteredIsGone(world, site)
  if (!world.isRestored) await givenUpIsKept(world)
  if (!world.isRestored) nobodyDiverged(world)
  if (!isWritten && world.dice.chance(0.3)) {
    await streamsUnderLoad(world)
    await replicasEqual(world)
  }
  await checkStep(world)
  if (!isWritten && world.dice.chance(0.3)) await faultsFound(world)
}
