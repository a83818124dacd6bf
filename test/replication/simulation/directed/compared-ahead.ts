/**
 * A cluster is promoted after a Merkle sync and serves a secondary that has fewer records. The changes of the Merkle sync have no log
 * index.
 */
import { handOver } from '../roles.ts'
import { Violation } from '../verdict.ts'
import type { World } from '../world.ts'
import { kernelOf, loseLog, nodeOf, readStatus, recordOutcome, siteOf, tick, write } from './steps.ts'

export const KERNELS = [1, 1, 1] as const

export async function comparedAhead(world: World): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1, c1] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(siteOf(world, 2), 0)]
  await write(world, a1, 'a')
  await tick(world, a1, b1, c1)
  await write(world, a1, 'a')
  await tick(world, a1, b1, c1)
  await write(world, a1, 'b')
  await write(world, a1, 'e')
  await tick(world, a1)
  await loseLog(a)
  await tick(world, b1)
  await handOver(world, b)
  if (world.primary !== b) throw new Error('b did not take over')
  for (const path of ['a', 'c/d']) await write(world, b1, path)
  const token = (await world.settle(kernelOf(b1).replication.createSecondaryToken({ id: world.fresh() }))).wrap_info?.token ?? ''
  await recordOutcome(world, 'c1 is told to follow b', kernelOf(c1).replication.updatePrimary({ token }))
  siteOf(world, 2).follows = b.name
  await tick(world, c1)
  const [primaryStatus, secondaryStatus] = [await readStatus(world, b1), await readStatus(world, c1)]
  if (secondaryStatus.state !== 'stream-wals' || secondaryStatus.merkle_root !== primaryStatus.merkle_root)
    throw new Violation(
      `c1 is ${secondaryStatus.state} with root ${secondaryStatus.merkle_root}, and b1 has ${primaryStatus.merkle_root}`,
    )
}
