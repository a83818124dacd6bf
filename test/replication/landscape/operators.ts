/** Role changes, as operators make them. */
import type { Kernel } from '../../../src/kernel.ts'
import { sharedWrite } from '../simulation/actions.ts'
import { centersOf } from '../simulation/centers.ts'
import { duringTicks, insist, modeOf, reopen } from '../simulation/roles.ts'
import type { Node, Site } from '../simulation/site.ts'
import { facadeOf, statusOf } from '../simulation/status.ts'
import { readSubject, SHARED } from '../simulation/subjects.ts'
import { outcomeOf } from '../simulation/world.ts'
import { hasCome, tokenFor } from './begin.ts'
import type { Landscape, Place } from './landscape.ts'
import { nothingLost } from './properties/nothing-lost.ts'

/** A forced promotion. The data of the promoted cluster is the current data from now on. */
export async function takeOver(world: Landscape, site: Site): Promise<void> {
  const place = world.places.get(site)
  if (!place || (await modeOf(world, site, place.kind)) !== 'secondary' || !(await hasCome(world, site))) return
  world.record(`${site.name} takes over from ${place.of.name} by force (${place.kind})`)
  const isPartial = await hasPart(world, site)
  world.isSure = false
  world.isSplit = true
  await insist(world, site, 'promote by force', async (kernel) => {
    if ((await statusOf(kernel, place.kind)).mode === 'primary') return
    await duringTicks(world, site, () => facadeOf(kernel, place.kind).promote({ force: true }))
  })
  await took(world, site, place, isPartial)
}

/** A promotion that needs a certificate, so the cluster must have every record. */
async function tookWhole(world: Landscape, site: Site, place: Place): Promise<void> {
  world.took(site, place)
  if (place.kind === 'performance') world.filters.clear()
  await nothingLost(world, site)
}

/** Whether a cluster lacks data because of a filter, or because of a former filter whose end it has not learned yet. */
async function hasPart(world: Landscape, site: Site): Promise<boolean> {
  if (world.places.get(site)?.kind !== 'performance') return false
  let isPartial = world.filterOf(site) !== undefined
  await insist(world, site, 'part', async () => {
    const [node] = site.live
    const { host } = centersOf(node as Node).performance
    isPartial ||= (await host.kind.replicaProgress.read(host.store)).value?.partial === true
  })
  return isPartial
}

/** The data of the new primary counts, and the former primary may have lost writes. */
async function took(world: Landscape, site: Site, place: Place, isPartial = false): Promise<void> {
  const counts = place.of === world.primary
  world.took(site, place)
  // Performance followers need new tokens, which have no filters.
  if (place.kind === 'performance') world.filters.clear()
  else await readInheritance(world, site)
  if (place.kind === 'dr') await readPeers(world, site)
  if (counts) await adopt(world, site, place.of, isPartial)
  for (const name of site.local.names)
    await insist(world, site, `read ${name}`, async (kernel) => site.local.set(name, await readSubject(kernel, name)))
}

/** The former cluster's role in the performance set may have changed after the last record that this one has. */
async function readInheritance(world: Landscape, site: Site): Promise<void> {
  if (!world.places.has(site)) return
  await insist(world, site, 'status', async (kernel) => {
    const { mode, secondary_id, known_primary_cluster_addrs: known = [] } = await statusOf(kernel)
    if (mode === 'secondary' && secondary_id && known.length > 0 && world.ids.get(site) === secondary_id) return
    site.follows = undefined
  })
}

/** This cluster may lack the last changes of secondaries, filters and revocations. */
async function readPeers(world: Landscape, site: Site): Promise<void> {
  await insist(world, site, 'known', async ({ replication }) => {
    for (const id of (await replication.readStatus()).known_secondaries ?? []) world.watch.revoked.delete(id)
  })
  for (const other of world.followersOf(site, 'performance'))
    await insist(world, site, 'peers', async ({ replication }) => {
      const id = world.ids.get(other) ?? ''
      const { known_secondaries: known = [] } = await replication.readStatus()
      if (!known.includes(id)) other.follows = undefined
      const found = await replication.readPathsFilter({ id }).catch(() => undefined)
      if (found) world.filters.set(id, found)
      else world.filters.delete(id)
    })
}

async function adopt(world: Landscape, site: Site, former: Site, isPartial: boolean): Promise<void> {
  for (const subject of SHARED) {
    const [before, ...more] = world.shared.possible(subject)
    await insist(world, site, `read ${subject}`, async (kernel) => world.shared.set(subject, await readSubject(kernel, subject)))
    for (const value of world.shared.possible(subject)) world.givenUp.delete(value)
    const isGone = before !== undefined && more.length === 0 && !world.shared.possible(subject).has(before)
    if (isGone && !isPartial && world.acknowledgedBy.get(before) === former) world.givenUp.set(before, new Set([former]))
  }
}

/** An unreachable primary is considered lost. The promotion warns of the records that may be lost. */
export async function takeOverAlone(world: Landscape, site: Site): Promise<void> {
  const place = world.places.get(site)
  if (!place || (await modeOf(world, site, place.kind)) !== 'secondary') return
  world.record(`${place.of.name} is taken for lost, and ${site.name} takes over if it may (${place.kind})`)
  world.net.partition(
    [place.of.name],
    world.sites.filter((site) => site !== place.of).map(({ name }) => name),
  )
  const kernel = await world.kernelAt(site)
  const { outcome, error } = await world.settle(
    outcomeOf(duringTicks(world, site, () => facadeOf(kernel, place.kind).promote({}))),
  )
  world.record(`  ${site.name}: promote: ${outcome} (${error})`)
  await world.bury()
  if ((await modeOf(world, site, place.kind)) !== 'primary') return
  // If the cluster had no connection to its primary, it needs a certificate that it gave itself.
  if (world.isStrict && site.follows === place.of.name) return tookWhole(world, site, place)
  world.isSure = false
  world.isSplit = true
  await took(world, site, place)
}

/** The primary is demoted, so nothing is lost: the new primary can fetch every record from it. */
export async function handOver(world: Landscape, to: Site): Promise<void> {
  const place = world.places.get(to)
  if (!place || to.follows !== place.of.name || world.filterOf(to)) return
  if ((await modeOf(world, place.of, place.kind)) !== 'primary') return
  const { calm } = world.net
  world.net.calm = true
  world.net.heal()
  try {
    await handOverTo(world, to, place)
  } finally {
    world.net.calm = calm
  }
}

async function handOverTo(world: Landscape, to: Site, place: Place): Promise<void> {
  const { kind, of: from } = place
  await reopen(world, from)
  // Other followers may try to be promoted, too. The first one with all records succeeds.
  const rivals = world
    .followersOf(from, kind)
    .filter((site) => site !== to && site.follows === from.name && !world.filterOf(site))
  const all = [to, ...(world.dice.chance(0.5) ? rivals : [])]
  // A cluster without the current addresses would consider its primary lost and promote with a warning.
  for (const site of all) await findWay(world, site, from)
  world.record(`${from.name} hands over to ${all.map(({ name }) => name).join(' or ')} (${kind})`)
  // Writes during the failover count if they are acknowledged.
  const writes = from === world.primary ? from.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name)) : []
  const apart = writes.filter(({ subjects }) => !subjects.some((subject) => writes[0]?.subjects.includes(subject)))
  const written = [...writes.slice(0, 1), ...apart].map(async (write) => world.record(`${write.text}: ${await write.run()}`))
  await insist(world, from, 'demote', async (kernel) => {
    if ((await statusOf(kernel, kind)).mode === 'secondary') return
    await duringTicks(world, from, () => facadeOf(kernel, kind).demotePrimary({}))
  })
  await world.settle(Promise.all(written))
  for (let tries = 0; tries < 6; tries++) {
    for (const site of all) await world.kernelAt(site)
    await world.settle(Promise.all(all.map((site) => tryPromotion(world, from, site, place))))
    await world.bury()
    const modes: (readonly [Site, string])[] = []
    for (const site of all) modes.push([site, await modeOf(world, site, kind)])
    const [winner] = modes.flatMap(([site, mode]) => (mode === 'primary' ? [site] : []))
    if (!winner) {
      await world.settle(world.clock.advance(6000))
      continue
    }
    return tookWhole(world, winner, place)
  }
  // The former primary has every record, so nothing is lost if it continues.
  await insist(world, from, 'promote again', async (kernel) => {
    if ((await statusOf(kernel, kind)).mode === 'primary') return
    await facadeOf(kernel, kind).promote({ force: true })
  })
  world.isSure = false
}

async function tryPromotion(world: Landscape, from: Site, site: Site, { kind }: Place): Promise<void> {
  // The certificate is written under the claim, which any kernel of the former primary may hold.
  for (const { kernel } of from.live) await kernel?.tick().catch(() => {})
  const [kernel] = site.live.map((node) => node.kernel)
  if (!kernel) return
  const { outcome, error } = await outcomeOf(
    kernel.tick().then(() => duringTicks(world, site, () => facadeOf(kernel, kind).promote({}))),
  )
  world.record(`  ${site.name}: promote: ${outcome} (${error})`)
}

/** Lets every cluster follow the intended one, if that is reachable. @returns Whether all do. */
export async function gather(world: Landscape): Promise<boolean> {
  const sites = [...world.places.keys()].sort((a, b) => Number(world.isServing(b)) - Number(world.isServing(a)))
  for (const site of sites) await follow(world, site, world.places.get(site) as Place)
  const isWhole = sites.every((site) => site.follows === world.places.get(site)?.of.name)
  if (isWhole) world.isSplit = false
  return isWhole
}

async function follow(world: Landscape, site: Site, { kind, of }: Place): Promise<void> {
  if (site.follows === of.name) return findWay(world, site, of)
  world.record(`${site.name} is told to follow ${of.name} (${kind})`)
  if ((await modeOf(world, site, kind)) === 'primary')
    await insist(world, site, 'demote', (kernel) => facadeOf(kernel, kind).demotePrimary({}))
  if ((await modeOf(world, of, kind)) !== 'primary') return
  const activation = await tokenFor(world, of, kind)
  if (!activation) return
  const { id, token } = activation
  const kernel = await world.kernelAt(site)
  const { outcome, error } = await world.settle(
    outcomeOf(duringTicks(world, site, () => facadeOf(kernel, kind).updatePrimary({ token }))),
  )
  world.record(`  ${site.name}: update: ${outcome} (${error})`)
  // The cluster may have the new key pair although the answer was lost.
  world.ids.set(site, id)
  if (outcome === 'done') site.follows = of.name
  // Clusters with the same credentials, or with the cluster's former ones, need new tokens.
  if (kind === 'performance') for (const other of world.followersOf(site, 'performance')) other.follows = undefined
  await world.bury()
}

/** A cluster that followed another one with the same credentials may lack the addresses of this one. */
async function findWay(world: Landscape, site: Site, of: Site): Promise<void> {
  if (world.places.get(site)?.kind !== 'performance') return
  const addresses = of.nodes.map(({ name }) => (of.shared ? of.name : name))
  const kernel = await world.kernelAt(site)
  const { known_primary_cluster_addrs: known = [] } = await world
    .settle(statusOf(kernel))
    .catch(() => ({ known_primary_cluster_addrs: addresses }))
  if (addresses.some((address) => known.includes(address))) return
  const wish = { update_primary_addrs: [...new Set(addresses)] }
  const { outcome, error } = await world.settle(outcomeOf(kernel.replication.updatePrimary(wish)))
  world.record(`  ${site.name}: addresses of ${of.name}: ${outcome} (${error})`)
  await world.bury()
}

/** A primary that learns of a newer epoch stops writing. Its operator then promotes it by force. */
export async function insistOnPrimaries(world: Landscape): Promise<void> {
  // DR secondaries without followers serve no requests, so they are skipped.
  for (const site of world.sites)
    for (const kind of [...world.kindsOf(site)].reverse()) {
      const isFollower = kind === 'performance' && world.places.get(site)?.kind === 'performance'
      if (isFollower || (await modeOf(world, site, kind)) === 'primary') continue
      world.record(`${site.name} takes its part back by force (${kind})`)
      world.isSure = false
      await insist(world, site, 'promote by force', async (kernel) => {
        if ((await statusOf(kernel, kind)).mode === 'primary') return
        await facadeOf(kernel, kind).promote({ force: true })
      })
      if (site === world.primary) await adopt(world, site, site, false)
    }
}
