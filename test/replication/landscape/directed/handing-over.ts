/** Who is a primary, and what becomes of epochs. */
import { ROLE_KEY } from '../../../../src/core/log/role.ts'
import { changing, kernelOf, nodeOf, siteOf, tick, told, write } from '../../simulation/directed/steps.ts'
import type { Landscape } from '../landscape.ts'
import { takeOver } from '../operators.ts'
import { judgeStep, type Schedule } from '../simulate.ts'

/** Two that both have all of a demoted primary want its place. */
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
    await told(world, 'a1 demotes', kernelOf(a1).replication.demotePrimary({}))
    await tick(world, b1, c1)
    await told(world, 'b1 is promoted', kernelOf(b1).replication.promote({}))
    await told(world, 'c1 is promoted', kernelOf(c1).replication.promote({}))
    await judgeStep(world)
    world.took(b, { kind: 'performance', of: a })
  },
}

/** A secondary takes over by force, dies before its epoch has a record, and is made to follow its former primary again. */
export const emptyEpoch: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
    const [a1, b1] = [nodeOf(a, 0), nodeOf(b, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1)
    world.isSure = false
    b1.storage?.dieAt(1, 'after', changing(ROLE_KEY))
    await told(world, 'b1 is promoted by force', kernelOf(b1).replication.promote({ force: true }))
    b.follows = undefined
    await world.bury()
  },
}

/** A secondary takes over by force, and what its former primary has alone is its own: nothing is given up, and nobody says so. */
export const ownRecordsOnly: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const [a1, b] = [nodeOf(siteOf(world, 0), 0), siteOf(world, 1)]
    await write(world, a1, 'a')
    await tick(world, a1, nodeOf(b, 0))
    await told(world, 'a1 makes a token', kernelOf(a1).tokens.createToken({ policies: ['default'] }))
    await takeOver(world, b)
  },
}

const BEHIND: Schedule['layout'] = [
  [1, 'performance', 0],
  [2, 'dr', 0],
]

/** `c` takes over from `a` behind its back, and `b`, which has heard of it, comes to `a`. */
export const behindItsBack: Omit<Schedule, 'seed'> = {
  layout: BEHIND,
  kernels: [1, 1, 1],
  async script(world) {
    const c = siteOf(world, 2)
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(c, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, c1, b1, c1, b1)
    await takenOverBy(world)
    await tick(world, b1)
    world.net.heal()
    world.net.partition(['c'], ['a', 'b'])
    await tick(world, b1)
    await judgeStep(world)
  },
}

/** `c` takes over from `a` while nobody can reach that, and both write. */
export const takenApart: Omit<Schedule, 'seed'> = {
  layout: BEHIND,
  kernels: [1, 1, 1],
  async script(world) {
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(siteOf(world, 2), 0)]
    await write(world, a1, 'a')
    await tick(world, a1, c1, b1, c1, b1)
    await takenOverBy(world)
    await judgeStep(world)
  },
}

async function takenOverBy(world: Landscape): Promise<void> {
  world.net.partition(['a'], ['b', 'c'])
  await takeOver(world, siteOf(world, 2))
}
