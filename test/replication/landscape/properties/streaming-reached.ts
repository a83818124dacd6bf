/** All clusters reach streaming in a bounded number of steps, even during writes. */
import type { Kernel } from '../../../../src/kernel.ts'
import { together } from '../../simulation/acting.ts'
import { sharedWrite } from '../../simulation/actions.ts'
import type { Site } from '../../simulation/site.ts'
import { type Status, statusOf } from '../../simulation/status.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

/** The maximum ticks of each kernel until all clusters are in sync. Clusters may form a chain. */
const MAX_ROUNDS = 16

/** After this time no dead process holds a claim. */
const CLAIMS_END_MS = 31_000

export async function tickAll(world: Landscape): Promise<void> {
  for (const site of [world.primary, ...world.others()])
    for (const { kernel, name } of site.live) {
      const { failed } = await world.settle((kernel as Kernel).tick())
      for (const { lane, id, error } of failed) world.record(`  ${name} ${lane}/${id} failed: ${error.message}`)
    }
}

async function statusesOf(world: Landscape, { live }: Site, kind: 'performance' | 'dr'): Promise<readonly Status[]> {
  const found: Status[] = []
  for (const { kernel } of live) if (kernel) found.push(await world.settle(statusOf(kernel, kind)))
  return found
}

/** @returns undefined if all clusters are in sync, otherwise what is missing. */
async function unlevel(world: Landscape): Promise<string | undefined> {
  for (const site of world.sites) {
    const place = world.places.get(site)
    if (!place) continue
    const { kind, of } = place
    const [first] = await statusesOf(world, of, kind)
    if (first?.mode !== 'primary') return `${of.name} is ${first?.mode} for ${kind}`
    const found = await statusesOf(world, site, kind)
    if (found.some(({ mode }) => mode !== 'secondary')) return `${site.name} is ${found[0]?.mode} for ${kind}`
    if (!found.some(({ state }) => state === 'stream-wals'))
      return `${site.name} is ${found.map(({ state, last_error }) => `${state} (${last_error})`)}`
    if (!world.filterOf(site) && found.some(({ merkle_root }) => merkle_root !== first.merkle_root))
      return `${site.name} has root ${found[0]?.merkle_root}, and ${of.name} ${first.merkle_root}`
  }
  return undefined
}

export async function comeLevel(world: Landscape): Promise<void> {
  let missing: string | undefined
  for (let round = 0, isLast = false; round < MAX_ROUNDS; round++) {
    await tickAll(world)
    missing = await unlevel(world)
    // Filtered clusters have no comparable root, so run one more round for the last writes.
    if (missing === undefined && (isLast || world.filters.size === 0)) return
    isLast = missing === undefined
    if (missing !== undefined) world.record(`  not level: ${missing}`)
    await world.settle(world.clock.advance(CLAIMS_END_MS))
  }
  throw broken('streamingReached', `after ${MAX_ROUNDS} rounds ${missing}`)
}

/** A cluster in sync never runs a Merkle sync, however much is written. */
export async function streamsUnderLoad(world: Landscape): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const kernel = world.primary.live[0]?.kernel as Kernel
    const actions = [1, 2, 3].map(() => sharedWrite(world, kernel, 'under load'))
    const apart = actions.filter(({ subjects }, at) =>
      actions.slice(0, at).every((action) => !action.subjects.some((subject) => subjects.includes(subject))),
    )
    const ticks = world.sites.flatMap(({ live }) => live.map((node) => node.kernel?.tick()))
    await together(world, apart)
    await world.settle(Promise.all(ticks))
  }
  await comeLevel(world)
}
