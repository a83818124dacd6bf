/** Schedules about data that a filter removes from a cluster which its DR secondary replaces. */
import { kernelOf, nodeOf, recordOutcome, siteOf, tick, write } from '../../simulation/directed/steps.ts'
import type { Landscape } from '../landscape.ts'
import { gather, takeOver } from '../operators.ts'
import type { Schedule } from '../simulate.ts'

const CHAIN: Pick<Schedule, 'layout' | 'kernels'> = {
  layout: [
    [1, 'performance', 0],
    [2, 'dr', 1],
  ],
  kernels: [1, 1, 1],
}

/** The three clusters of the chain, in sync. */
async function levelChain(world: Landscape) {
  const [b, c] = [siteOf(world, 1), siteOf(world, 2)]
  const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(b, 0), nodeOf(c, 0)]
  await write(world, a1, 'a')
  await tick(world, a1, b1, c1)
  return { b, c, a1, b1, c1 }
}

async function denySecrets(world: Landscape, site = siteOf(world, 1)): Promise<void> {
  const a1 = nodeOf(siteOf(world, 0), 0)
  const id = world.ids.get(site) ?? ''
  const filter = { mode: 'deny', paths: ['secret/'] } as const
  world.wasFiltered = true
  await recordOutcome(world, 'secret is denied', kernelOf(a1).replication.writePathsFilter({ id, ...filter }))
  world.filters.set(id, filter)
}

/** The log of the cluster is older than its DR set. The cluster is demoted in that set and promoted again. */
export const takenBack: Omit<Schedule, 'seed'> = {
  ...CHAIN,
  async script(world) {
    const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1)
    await denySecrets(world)
    world.isSure = false
    await recordOutcome(world, 'b1 demotes', kernelOf(b1).replication.dr.demotePrimary({}))
    await recordOutcome(world, 'b1 is promoted again', kernelOf(b1).replication.dr.promote({ force: true }))
  },
}

/** The cluster has already removed the denied data, so its successor has nothing to remove. */
export const removedBefore: Omit<Schedule, 'seed'> = {
  ...CHAIN,
  async script(world) {
    const { b, c, b1, c1 } = await levelChain(world)
    await denySecrets(world)
    await tick(world, b1, c1)
    await recordOutcome(world, 'b1 demotes', kernelOf(b1).replication.dr.demotePrimary({}))
    await tick(world, b1, c1)
    await recordOutcome(world, 'c1 is promoted', kernelOf(c1).replication.dr.promote({}))
    world.took(c, { kind: 'dr', of: b })
  },
}

/**
 * The lost DR writes of a replaced cluster include data that it had received from its primary. A later filter must remove that data,
 * because it is not a lost write.
 */
export const givenUpToo: Omit<Schedule, 'seed'> = {
  ...CHAIN,
  async script(world) {
    const { b, c, a1, b1, c1 } = await levelChain(world)
    await write(world, a1, 'b')
    await tick(world, b1)
    await takeOver(world, c)
    await gather(world)
    await tick(world, c1, b1)
    await denySecrets(world, c)
    await tick(world, c1, b1)
    await recordOutcome(world, 'c1 demotes', kernelOf(c1).replication.dr.demotePrimary({}))
    await tick(world, c1, b1)
    await recordOutcome(world, 'b1 is promoted', kernelOf(b1).replication.dr.promote({}))
    world.took(b, { kind: 'dr', of: c })
  },
}

/** A mount is created in a namespace of which the filter admits only the record. */
export const nameAlone: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const [a1, b] = [nodeOf(siteOf(world, 0), 0), siteOf(world, 1)]
    const id = world.ids.get(b) ?? ''
    const filter = { mode: 'allow', paths: ['n1/in/'] } as const
    world.wasFiltered = true
    await recordOutcome(world, 'n1/in is allowed', kernelOf(a1).replication.writePathsFilter({ id, ...filter }))
    world.filters.set(id, filter)
    await recordOutcome(world, 'n1 is made', kernelOf(a1).namespaces.createNamespace({ name: 'n1' }))
    await recordOutcome(world, 'n1/in is made', kernelOf(a1).namespace('n1/').mounts.createMount({ path: 'in', type: 'kv' }))
    world.shared.set('space:n1', 'empty')
  },
}
