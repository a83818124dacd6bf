/** A secondary creates a local mount at a free path while a mount of the primary arrives there. The local one must be refused. */

import { Violation } from '../verdict.ts'
import { outcomeOf, type World } from '../world.ts'
import { changing, hold, kernelOf, mount, nodeOf, siteOf, takeClaim, tick } from './steps.ts'

export const KERNELS = [1, 2] as const

export async function appliedGuards(world: World): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1, b2] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(b, 1)]
  await takeClaim(world, b1)
  await tick(world, a1, b1, b2)
  const held = hold(b2, changing('l/core/mount/'))
  const making = outcomeOf(kernelOf(b2).mounts.createMount({ path: 'm1', type: 'kv', local: true }))
  await world.settle(held.reached)
  await mount(world, a1, 'm1')
  await tick(world, b1)
  held.release()
  const { outcome } = await world.settle(making)
  world.record(`b2: mount m1 of its own: ${outcome}`)
  if (outcome !== 'refused') throw new Violation('b has mounts of its own and of the primary at one path')
}
