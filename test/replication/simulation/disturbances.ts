/** Failures of machines, networks and clocks. */
import type { Node } from './site.ts'
import type { World } from './world.ts'

/** A possible failure and its relative frequency. */
export type Happening = readonly [weight: number, happen: () => Promise<void>]

const live = (world: World): readonly Node[] => {
  const found = world.sites.flatMap((site) => site.live)
  return found.length > 0 ? found : world.sites.flatMap((site) => site.nodes)
}

/** A running process. Starts one if none is running. */
export async function anyNode(world: World): Promise<Node> {
  if (world.sites.every((site) => site.live.length === 0)) await world.kernelAt(world.primary)
  return world.dice.pick(world.sites.flatMap((site) => site.live))
}

async function openSome(world: World): Promise<void> {
  for (const site of world.sites)
    for (const node of site.nodes) {
      if (node.kernel || !world.dice.chance(0.6)) continue
      world.record(`open ${node.name}`)
      await world.settle(node.open()).catch((error: unknown) => world.record(`  ${error}`))
    }
}

export function disturbances(world: World): readonly Happening[] {
  const { dice, clock, net } = world
  return [
    [
      3,
      async () => {
        const site = dice.pick(world.others())
        world.record(`${site.name} is cut off`)
        net.partition(
          [site.name],
          world.sites.filter((candidate) => candidate !== site).map(({ name }) => name),
        )
      },
    ],
    [
      3,
      async () => {
        world.record('the network is whole')
        net.heal()
      },
    ],
    [
      4,
      async () => {
        const ms = dice.pick([10, 1000, 6000, 31_000, 31_000, 700_000])
        world.record(`${ms} ms pass`)
        await world.settle(clock.advance(ms))
      },
    ],
    [
      1,
      async () => {
        const site = dice.pick(world.sites)
        site.skew = dice.pick([-3_600_000, -40_000, 0, 40_000, 3_600_000])
        world.record(`the clock of ${site.name} is ${site.skew} ms ahead`)
      },
    ],
    [
      5,
      async () => {
        const node = dice.pick(live(world))
        const nth = dice.pick([1, 1, 2, 3, 4, dice.int(5, 30)])
        const when = dice.pick(['before', 'after'] as const)
        world.record(`${node.name} is to die ${when} its commit ${nth} from now on`)
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
        world.record(`close ${node.name}`)
        await world.settle(node.close())
      },
    ],
    [5, () => openSome(world)],
  ]
}
