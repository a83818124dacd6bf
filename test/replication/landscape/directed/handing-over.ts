/** Schedules about primaries and their epochs. */
import { ROLE_KEY } from '../../../../src/core/log/role.ts'
import { centersOf } from '../../simulation/centers.ts'
import { changing, kernelOf, loseLog, nodeOf, recordOutcome, siteOf, tick, write } from '../../simulation/directed/steps.ts'
import type { Landscape } from '../landscape.ts'
import { takeOver } from '../operators.ts'
import { checkStep, type Schedule } from '../simulate.ts'

/** A primary and a secondary in sync with it. */
async function levelPair(world: Landscape) {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1] = [nodeOf(a, 0), nodeOf(b, 0)]
  await write(world, a1, 'a')
  await tick(world, a1, b1)
  return { a, b, a1, b1 }
}

/** Two secondaries that have all records of a demoted primary are both promoted. */
export const rivals: Omit<Schedule, 'seed'> = {
  layout: [
    [1, 'performance', 0],
    [2, 'performance', 0],
  ],
  kernels: [2, 1, 1],
  async script(world) {
    const [a, b, c] = [siteOf(world, 0), siteOf(world, 1), siteOf(world, 2)]
    const [a1, b1, c1] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1, c1)
    await recordOutcome(world, 'a1 demotes', kernelOf(a1).replication.demotePrimary({}))
    await tick(world, b1, c1)
    await recordOutcome(world, 'b1 is promoted', kernelOf(b1).replication.promote({}))
    await recordOutcome(world, 'c1 is promoted', kernelOf(c1).replication.promote({}))
    await checkStep(world)
    world.took(b, { kind: 'performance', of: a })
  },
}

/** A secondary is promoted by force, dies before its epoch has a record, and is made to follow its former primary again. */
export const emptyEpoch: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const { b, b1 } = await levelPair(world)
    world.isSure = false
    b1.storage?.dieAt(1, 'after', changing(ROLE_KEY))
    await recordOutcome(world, 'b1 is promoted by force', kernelOf(b1).replication.promote({ force: true }))
    b.follows = undefined
    await world.bury()
  },
}

/**
 * A secondary is promoted by force. Its former primary has only local records of its own, so it loses nothing and must not report a loss.
 */
export const ownRecordsOnly: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const [a1, b] = [nodeOf(siteOf(world, 0), 0), siteOf(world, 1)]
    await write(world, a1, 'a')
    await tick(world, a1, nodeOf(b, 0))
    await recordOutcome(world, 'a1 makes a token', kernelOf(a1).tokens.createToken({ policies: ['default'] }))
    await takeOver(world, b)
  },
}

/** A secondary is promoted by force during a Merkle sync, and dies immediately. Its data was never a state of the epoch before. */
export const halfCompared: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const { a, b, a1, b1 } = await levelPair(world)
    b.hasCome = true
    for (const path of ['a', 'b']) await write(world, a1, path)
    await loseLog(a)
    const { follower } = centersOf(b1).performance
    const { ask } = follower
    follower.ask = async (message, signal, once) => {
      const answer = await ask.call(follower, message, signal, once)
      if (message['kind'] === 'values') world.net.partition(['a'], ['b'])
      return answer
    }
    await tick(world, b1)
    // The dead process holds the claim for a while, so the tree does not change.
    b1.storage?.dieAt(1, 'after', changing(ROLE_KEY))
    await takeOver(world, b)
  },
}

const BEHIND: Schedule['layout'] = [
  [1, 'performance', 0],
  [2, 'dr', 0],
]

/** `c` takes over from `a` while `a` is unreachable, and then `b`, which knows of it, greets `a`. */
export const behindItsBack: Omit<Schedule, 'seed'> = {
  layout: BEHIND,
  kernels: [1, 1, 1],
  async script(world) {
    const c = siteOf(world, 2)
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, c1, b1, c1, b1)
    await takeOverBy(world)
    await tick(world, b1)
    world.net.heal()
    world.net.partition(['c'], ['a', 'b'])
    await tick(world, b1)
    await checkStep(world)
  },
}

/** `c` takes over from `a` while `a` is unreachable, and both write. */
export const takenApart: Omit<Schedule, 'seed'> = {
  layout: BEHIND,
  kernels: [1, 1, 1],
  async script(world) {
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(siteOf(world, 2), 0)]
    await write(world, a1, 'a')
    await tick(world, a1, c1, b1, c1, b1)
    await takeOverBy(world)
    await checkStep(world)
  },
}

const BOTH: Schedule['layout'] = [
  [1, 'performance', 0],
  [2, 'dr', 0],
]

/** A promoted DR secondary dies directly after the commit that changes its role. */
export const unbegunEpoch: Omit<Schedule, 'seed'> = {
  layout: BOTH,
  kernels: [1, 1, 1],
  async script(world) {
    const [a, c] = [siteOf(world, 0), siteOf(world, 2)]
    const [a1, b1, c1] = [nodeOf(a, 0), nodeOf(siteOf(world, 1), 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1, c1)
    await recordOutcome(world, 'a1 demotes', kernelOf(a1).replication.dr.demotePrimary({}))
    await tick(world, a1, c1)
    c1.storage?.dieAt(1, 'after', changing(ROLE_KEY))
    await recordOutcome(world, 'c1 is promoted', kernelOf(c1).replication.dr.promote({}))
    await world.bury()
    world.took(c, { kind: 'dr', of: a })
  },
}

/** A replaced primary is demoted and dies immediately. Then its DR secondary is promoted and takes over its secondary role. */
export const inheritedLoss: Omit<Schedule, 'seed'> = {
  layout: BOTH,
  kernels: [1, 1, 1],
  async script(world) {
    const [a, b, c] = [siteOf(world, 0), siteOf(world, 1), siteOf(world, 2)]
    const [a1, b1, c1] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1, c1)
    world.acknowledgedBy.set(await write(world, a1, 'b'), a)
    await tick(world, c1)
    await takeOver(world, b)
    // The DR secondary has to run a Merkle sync, which also copies the progress of its primary in the performance set.
    for (const text of ['a1 makes a token', 'and another one'])
      await recordOutcome(world, text, kernelOf(a1).tokens.createToken({ policies: ['default'] }))
    await loseLog(a)
    a1.storage?.dieAt(1, 'after', changing(ROLE_KEY))
    await recordOutcome(world, 'a1 demotes', kernelOf(a1).replication.demotePrimary({}))
    await world.bury()
    await world.settle(a1.open())
    await recordOutcome(world, 'a1 demotes for disaster recovery', kernelOf(a1).replication.dr.demotePrimary({}))
    // A dead process may still hold the claim.
    await world.settle(world.clock.advance(31_000))
    await tick(world, a1, c1)
    await recordOutcome(world, 'c1 is promoted', kernelOf(c1).replication.dr.promote({}))
    world.took(c, { kind: 'dr', of: a })
  },
}

/** A former primary and its successor have the same keys: one answers the greeting, and the other one the next messages. */
export const otherAnswers: Omit<Schedule, 'seed'> = {
  layout: BOTH,
  kernels: [1, 1, 1],
  async script(world) {
    const c = siteOf(world, 2)
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, c1, b1)
    await write(world, a1, 'b')
    await takeOver(world, c)
    for (const path of ['a', 'c/d']) await write(world, c1, path)
    await tick(world, c1)
    const { follower } = centersOf(b1).performance
    const { ask } = follower
    let left = 1
    follower.ask = async (message, signal, once) => {
      const isLost = message['kind'] !== 'hello' && left-- > 0
      world.net.heal()
      world.net.partition(['b'], [isLost ? 'c' : 'a'])
      return ask.call(follower, message, signal, once)
    }
    await tick(world, b1)
    follower.ask = ask
    world.net.heal()
    await checkStep(world)
  },
}

async function takeOverBy(world: Landscape): Promise<void> {
  world.net.partition(['a'], ['b', 'c'])
  await takeOver(world, siteOf(world, 2))
}
