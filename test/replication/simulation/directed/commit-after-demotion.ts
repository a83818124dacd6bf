/** A commit is in flight while its cluster is demoted. It arrives after the certificate, and must not be acknowledged. */
import type { World } from '../world.ts'
import { begunWrite, changing, hold, kernelOf, nodeOf, recordOutcome, siteOf, tick, write } from './steps.ts'

export const KERNELS = [2, 1] as const

export async function behindDemotion(world: World): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, a2, b1] = [nodeOf(a, 0), nodeOf(a, 1), nodeOf(b, 0)]
  await write(world, a1, 'a')
  await tick(world, a1, b1)
  const held = hold(a2, changing('r/'))
  const writing = begunWrite(world, a2, 'a')
  await world.settle(held.reached)
  await recordOutcome(world, 'a1 demotes', kernelOf(a1).replication.demotePrimary({}))
  await tick(world, b1)
  await recordOutcome(world, 'b1 is promoted', kernelOf(b1).replication.promote({}))
  b.follows = undefined
  world.primary = b
  held.release()
  await world.settle(writing)
}
