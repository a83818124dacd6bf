/** Operator actions other than role changes: filters, revocation and checks. */
import type { Kernel } from '../../../src/kernel.ts'
import { sharedWrite } from '../simulation/actions.ts'
import { duringTicks, insist, modeOf } from '../simulation/roles.ts'
import type { Site } from '../simulation/site.ts'
import { facadeOf } from '../simulation/status.ts'
import { outcomeOf } from '../simulation/world.ts'
import { LISTABLE } from './admission.ts'
import { enable } from './begin.ts'
import type { Landscape } from './landscape.ts'
import { broken } from './properties/broken.ts'
import { finds } from './properties/faults-found.ts'

/** Writes, changes or deletes a filter. */
export async function changeFilter(world: Landscape): Promise<void> {
  const { dice, primary } = world
  const followers = world.followersOf(primary, 'performance').filter(({ follows }) => follows === primary.name)
  if (followers.length === 0) return
  const id = world.ids.get(dice.pick(followers)) ?? ''
  const gone = world.filters.has(id) && dice.chance(0.4)
  const filter = {
    mode: dice.pick(['allow', 'deny', 'deny', 'deny'] as const),
    paths: LISTABLE.filter(() => dice.chance(0.3)),
  }
  world.record(gone ? `no filter for ${id}` : `filter for ${id}: ${filter.mode} ${filter.paths.join(' ')}`)
  world.wasFiltered = true
  await world.watch.turning(async () => {
    const outcome = await insist(world, primary, 'filter', ({ replication }) =>
      gone ? replication.deletePathsFilter({ id }) : replication.writePathsFilter({ id, ...filter }),
    )
    if (outcome !== 'done') throw new Error('the filter is refused')
    if (gone) world.filters.delete(id)
    else world.filters.set(id, filter)
  })
}

/** A cluster without followers leaves its set and joins it again while its primary writes and ticks. This discards its own records. */
export async function rejoin(world: Landscape, site: Site): Promise<void> {
  const place = world.places.get(site)
  if (!place || site.follows !== place.of.name || world.kindsOf(site).length > 0 || world.isSplit) return
  const { kind, of } = place
  if ((await modeOf(world, site, kind)) !== 'secondary' || (await modeOf(world, of, kind)) !== 'primary') return
  world.record(`${site.name} leaves and joins again (${kind})`)
  world.net.heal()
  await insist(world, site, 'leave', async (kernel) => {
    const facade = facadeOf(kernel, kind)
    if ((await facade.readStatus()).mode === 'secondary') await duringTicks(world, site, () => facade.disableSecondary())
  })
  world.filters.delete(world.ids.get(site) ?? '')
  world.forgets(site)
  const ticks = of.live.map(({ kernel }) => kernel?.tick().catch(() => {}))
  const writes = world.primary.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name)).slice(0, 1)
  const written = writes.map((write) => world.watch.turning(async () => world.record(`${write.text}: ${await write.run()}`)))
  await enable(world, site)
  await world.settle(Promise.all([...written, ...ticks]))
}

/** After the revocation it receives nothing until it is given another token. */
export async function revoke(world: Landscape, site: Site): Promise<void> {
  const place = world.places.get(site)
  const id = world.ids.get(site)
  if (!place || id === undefined || site.follows !== place.of.name || world.isSplit) return
  world.record(`${id} of ${site.name} is revoked (${place.kind})`)
  const outcome = await insist(world, place.of, 'revoke', (kernel) => facadeOf(kernel, place.kind).revokeSecondary({ id }))
  if (outcome !== 'done') return
  world.watch.revoked.add(id)
  world.filters.delete(id)
  site.follows = undefined
}

/**
 * No store is changed from outside in these schedules, so a check finds nothing and a reindex changes nothing, whatever happens
 * concurrently.
 */
export async function inspect(world: Landscape): Promise<void> {
  const site = world.dice.pick(world.sites)
  const kernel = await world.kernelAt(site)
  await (world.dice.chance(0.5) ? check(world, site, kernel) : reindex(world, site, kernel))
}

async function reindex(world: Landscape, site: Site, kernel: Kernel): Promise<void> {
  const { replication } = kernel
  const isStopped = world.dice.chance(0.2)
  const force = world.dice.chance(0.3)
  const { outcome, error } = await world.settle(
    outcomeOf(
      (async () => {
        const isMirror = (await replication.dr.readStatus()).mode === 'secondary'
        // The reindex continues in ticks, concurrently with the next steps.
        if (isMirror) await replication.dr.reindex({ force })
        else await (isStopped ? replication.stopReindex() : replication.reindex({ force }))
      })(),
    ),
  )
  world.record(
    `${site.name} is ${isStopped ? 'stopped in its reindex' : 'reindexed'}${force ? ' by force' : ''}: ${outcome} (${error})`,
  )
}

async function check(world: Landscape, site: Site, kernel: Kernel): Promise<void> {
  let isFound = false
  const { outcome, error } = await world.settle(
    outcomeOf(
      finds(kernel).then((found) => {
        isFound = found
      }),
    ),
  )
  world.record(`${site.name} is checked: ${outcome} (${error})`)
  if (isFound) throw broken('faultsFound', `${site.name}: a fault that nobody made`)
}
