/**
 * A secondary has copied by a Merkle sync, and has not yet applied the log up to its newest copied value. Its data was never a state of the
 * primary.
 */
import { PERFORMANCE } from '../../../../src/sys/replication/state/replication-kind.ts'
import { ABSENT } from '../model.ts'
import { hasCome, takeOver } from '../roles.ts'
import type { Site } from '../site.ts'
import { readSubject } from '../subjects.ts'
import { Violation } from '../verdict.ts'
import type { World } from '../world.ts'
import { changing, kernelOf, loseLog, nodeOf, readStatus, recordOutcome, siteOf, takeClaim, tick, until, write } from './steps.ts'

/** Long enough for writes while a message is in flight. */
const SLOW_MS = 2000

/**
 * While the secondary runs a Merkle sync, `b` is written and then `a`, which differs. The secondary copies the new value of `a`, does not
 * know of `b`, and dies when it stores its progress.
 */
async function copyInexactly(world: World, site: Site): Promise<void> {
  const [a1, copier] = [nodeOf(siteOf(world, 0), 0), nodeOf(site, 0)]
  world.net.latency = SLOW_MS
  const ticking = kernelOf(copier).tick()
  ticking.catch(() => {})
  await until(world, copier, 'merkle-sync')
  await write(world, a1, 'b')
  await write(world, a1, 'a')
  copier.storage?.dieAt(1, 'after', changing(PERFORMANCE.replicaProgress.key))
  await world.settle(ticking.catch(() => {}))
  await world.bury()
  world.net.latency = 0
}

export const TWO_KERNELS = [1, 2] as const

/** Another kernel of the secondary, which greeted the primary earlier, is promoted without force. */
export async function unforced(world: World): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1, b2] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(b, 1)]
  await write(world, a1, 'a')
  await tick(world, a1)
  // So the second kernel only greets the primary.
  await takeClaim(world, b1)
  await tick(world, b2)
  const before = await world.settle(readSubject(kernelOf(a1), 'v1:a'))
  await copyInexactly(world, b)
  world.net.partition(['a'], ['b'])
  await recordOutcome(world, 'b2 is promoted', kernelOf(b2).replication.promote({}))
  world.net.heal()
  if ((await readStatus(world, b2)).mode !== 'primary') return
  const [first, last] = [
    await world.settle(readSubject(kernelOf(b2), 'v1:b')),
    await world.settle(readSubject(kernelOf(b2), 'v1:a')),
  ]
  if (last !== before && first === ABSENT)
    throw new Violation('b took over without force, and has a write of its primary without the one that was before it')
}

export const THREE_CLUSTERS = [1, 1, 1] as const

/** The secondary is promoted by force, and another secondary follows it that has the same position with the primary's data. */
export async function forced(world: World): Promise<void> {
  const [a, b, c] = [siteOf(world, 0), siteOf(world, 1), siteOf(world, 2)]
  const [a1, b1, c1] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(c, 0)]
  await tick(world, a1, b1, c1)
  await write(world, a1, 'a')
  await tick(world, a1, c1)
  await write(world, a1, 'a')
  await hasCome(world, b)
  await loseLog(a)
  await tick(world, c1)
  await copyInexactly(world, b)
  world.net.partition(['a'], ['b', 'c'])
  await takeOver(world, b)
}
