/** One schedule: steps drawn from a seed, then everything is healed and judged. */
import { type Action, localWrite, sharedWrite, upkeep } from './actions.ts'
import { begin, gather, handOver, hasCome, insistOnPrimary, reopen, setBack, takeOver } from './roles.ts'
import type { Node } from './site.ts'
import { statusOf } from './status.ts'
import { flip, remember, setBackOne } from './tampering.ts'
import { comeLevel, judge, tickAll } from './verdict.ts'
import { World, type WorldOptions } from './world.ts'

export interface Schedule extends WorldOptions {
  readonly steps?: number
  /** Whether clusters change their parts. */
  readonly roles?: boolean
  /** Whether the primary's store is set back to a backup. */
  readonly restores?: boolean
  /** Whether stored records are changed behind the kernels' backs. */
  readonly tampers?: boolean
  /** What happens instead of steps that are drawn. */
  readonly script?: Script
}

/** What happens, in this order. @throws Violation where something on the way is not as it should be. */
export type Script = (world: World) => Promise<void>

/** @throws Error with the seed and the steps, when something is not as it should be. */
export async function simulate({ script, ...schedule }: Schedule): Promise<void> {
  const world = new World(schedule)
  try {
    await begin(world)
    if (script) await script(world)
    else await drawn(world, schedule)
    await heal(world)
    await judge(world)
    if (!script && !schedule.tampers && world.dice.chance(0.3)) await underLoad(world)
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new Error(`seed ${schedule.seed}: ${why}\n${world.told.join('\n')}`)
  } finally {
    for (const site of world.sites) for (const node of site.live) await world.settle(node.close()).catch(() => {})
  }
}

async function drawn(world: World, { steps, ...kinds }: Omit<Schedule, 'script'>): Promise<void> {
  for (let left = steps ?? world.dice.int(10, 40); left > 0; left--) {
    await step(world, kinds)
    await world.bury()
  }
}

type Kinds = Pick<Schedule, 'roles' | 'restores' | 'tampers'>

async function step(world: World, { roles, restores, tampers }: Kinds): Promise<void> {
  const { dice, clock, net } = world
  await dice.weighted<() => Promise<void>>([
    [30, () => act(world, 1)],
    [12, () => act(world, dice.int(2, 5))],
    [2, () => burst(world)],
    [
      3,
      async () => {
        const site = dice.pick(world.others())
        world.say(`${site.name} is cut off`)
        net.partition(
          [site.name],
          world.sites.filter((other) => other !== site).map(({ name }) => name),
        )
      },
    ],
    [
      3,
      async () => {
        world.say('the network is whole')
        net.heal()
      },
    ],
    [
      4,
      async () => {
        const ms = dice.pick([10, 1000, 6000, 31_000, 31_000, 700_000])
        world.say(`${ms} ms pass`)
        await world.settle(clock.advance(ms))
      },
    ],
    [
      1,
      async () => {
        const site = dice.pick(world.sites)
        site.skew = dice.pick([-3_600_000, -40_000, 0, 40_000, 3_600_000])
        world.say(`the clock of ${site.name} is ${site.skew} ms ahead`)
      },
    ],
    [
      5,
      async () => {
        const node = dice.pick(live(world))
        const nth = dice.pick([1, 1, 2, 3, 4, dice.int(5, 30)])
        const when = dice.pick(['before', 'after'] as const)
        world.say(`${node.name} is to die ${when} its commit ${nth} from now on`)
        node.storage?.dieAt(nth, when)
      },
    ],
    [2, async () => dice.pick(live(world)).storage?.loseAnswer(dice.int(1, 6))],
    [
      2,
      async () => {
        const { storage } = dice.pick(live(world))
        const [nth, ms] = [dice.int(1, 8), dice.pick([5000, 45_000])]
        storage?.pauseAt(nth, () => clock.sleep(ms))
      },
    ],
    [
      2,
      async () => {
        const node = dice.pick(live(world))
        world.say(`close ${node.name}`)
        await world.settle(node.close())
      },
    ],
    [5, () => openSome(world)],
    ...(tampers ? ([[5, () => tamper(world)]] as const) : []),
    ...(restores ? ([[2, () => setBack(world)]] as const) : []),
    ...(roles
      ? ([
          [1, () => takeOver(world, dice.pick(world.others()))],
          [1, () => handOver(world, dice.pick(world.others()))],
          [2, () => gather(world).then(() => {})],
          [2, () => astray(world)],
        ] as const)
      : []),
  ])()
}

async function tamper(world: World): Promise<void> {
  const site = world.dice.pick(world.sites)
  await world.dice.pick([remember, () => flip(world, site), () => setBackOne(world, site)])(site)
}

async function anyNode(world: World): Promise<Node> {
  if (world.sites.every((site) => site.live.length === 0)) await world.kernelAt(world.primary)
  return world.dice.pick(world.sites.flatMap((site) => site.live))
}

const live = (world: World): readonly Node[] => {
  const found = world.sites.flatMap((site) => site.live)
  return found.length > 0 ? found : world.sites.flatMap((site) => site.nodes)
}

async function openSome(world: World): Promise<void> {
  for (const site of world.sites)
    for (const node of site.nodes) {
      if (node.kernel || !world.dice.chance(0.6)) continue
      world.say(`open ${node.name}`)
      await world.settle(node.open()).catch((error: unknown) => world.say(`  ${error}`))
    }
}

/** Things that are done at the same time. */
async function act(world: World, count: number): Promise<void> {
  const actions: Action[] = []
  for (let tries = 0; actions.length < count && tries < 20; tries++) {
    const action = await draw(world)
    if (action.subjects.some((one) => actions.some(({ subjects }) => subjects.includes(one)))) continue
    actions.push(action)
  }
  await together(world, actions)
}

async function together(world: World, actions: readonly Action[]): Promise<void> {
  const outcomes = await world.settle(Promise.all(actions.map((action) => action.run())))
  for (const [at, { text }] of actions.entries()) world.say(`${at > 0 ? '  and ' : ''}${text}: ${outcomes[at]}`)
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
        return local ? localWrite(world, site, kernel, site.name) : upkeep(world, await anyNode(world))
      },
    ],
    [10, async () => upkeep(world, await anyNode(world))],
  ])()
}

/** Many small writes, which is more than the log keeps in some schedules, and more than lies between two checkpoints. */
async function burst(world: World): Promise<void> {
  const count = world.dice.pick([10, 40, 130])
  const kernel = await world.kernelAt(world.primary)
  world.say(`${count} writes`)
  for (let at = 0; at < count; at++) {
    const v = world.fresh()
    const call = kernel.kv.writeSecret({ path: 'e', data: { v } })
    const outcome = await world.settle(
      call.then(
        () => 'done' as const,
        () => 'unknown' as const,
      ),
    )
    world.shared.changed('v1:e', outcome, () => v)
  }
}

/** A former primary that has not heard of it takes writes, which nobody will ever see. */
async function astray(world: World): Promise<void> {
  const site = world.dice.pick(world.others())
  if (site.live.length === 0) return
  const kernel = await world.kernelAt(site)
  if ((await world.settle(statusOf(kernel).catch(() => undefined)))?.mode !== 'primary') return
  const shared = world.shared
  world.shared = new (shared.constructor as new (from: typeof shared) => typeof shared)(shared)
  await together(world, [sharedWrite(world, kernel, `${site.name}, astray`)])
  world.shared = shared
}

async function heal(world: World): Promise<void> {
  world.say('everything is healed')
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
  // What was to die later may have died by now.
  await world.bury()
  for (const site of world.sites) await reopen(world, site)
}

/** Streaming goes on while others write. */
async function underLoad(world: World): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const actions = [1, 2, 3].map(() => sharedWrite(world, world.primary.live[0]?.kernel as never, 'under load'))
    const apart = actions.filter(({ subjects }, at) =>
      actions.slice(0, at).every((other) => !other.subjects.some((one) => subjects.includes(one))),
    )
    const ticks = world.sites.flatMap(({ live: nodes }) => nodes.map(({ kernel }) => kernel?.tick()))
    await together(world, apart)
    await world.settle(Promise.all(ticks))
  }
  await comeLevel(world)
}
