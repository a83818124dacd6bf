/** The checks after all failures have ended. */
import type { TickResult } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import { PERFORMANCE } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Node, Site } from './site.ts'
import { type Status, statusOf } from './status.ts'
import { readSubject, SHARED } from './subjects.ts'
import { unflip } from './tampering.ts'
import type { World } from './world.ts'

/** The maximum ticks of each kernel until all clusters are in sync. */
const MAX_ROUNDS = 12

/** After this time no dead process holds a claim. */
const CLAIMS_END_MS = 31_000

export class Violation extends Error {
  override readonly name = 'Violation'
}

/** The maximum ticks of a kernel whose storage was down, until a probe finds that it answers again. */
const MAX_TICKS_WHILE_DOWN = 30

/** Ticks like a timer: repeats a second later while the storage is considered down. */
async function tickOf(world: World, kernel: Kernel): Promise<TickResult> {
  for (let ticks = 1; ; ticks++)
    try {
      return await world.settle(kernel.tick())
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'ERR_UNAVAILABLE' || ticks === MAX_TICKS_WHILE_DOWN) throw error
      await world.settle(world.clock.advance(1000))
    }
}

export async function tickAll(world: World): Promise<void> {
  for (const site of [world.primary, ...world.others()])
    for (const node of site.live) {
      const { failed } = await tickOf(world, node.kernel as Kernel)
      for (const { lane, id, error } of failed) world.record(`  ${node.name} ${lane}/${id} failed: ${error.message}`)
    }
}

async function statusesOf(world: World, site: Site): Promise<readonly Status[]> {
  const found: Status[] = []
  for (const { kernel } of site.live) if (kernel) found.push(await world.settle(statusOf(kernel)))
  return found
}

/** @returns undefined if all clusters are in sync, otherwise what is missing. */
async function unlevel(world: World): Promise<string | undefined> {
  const [first] = await statusesOf(world, world.primary)
  if (first?.mode !== 'primary') return `${world.primary.name} is ${first?.mode}`
  for (const site of world.others()) {
    const found = await statusesOf(world, site)
    if (found.some(({ mode }) => mode !== 'secondary')) return `${site.name} is ${found[0]?.mode}`
    if (!found.some(({ state }) => state === 'stream-wals'))
      return `${site.name} is ${found.map(({ state, last_error }) => `${state} (${last_error})`)}`
    if (found.some(({ merkle_root }) => merkle_root !== first.merkle_root))
      return `${site.name} has root ${found[0]?.merkle_root}, the primary ${first.merkle_root}`
  }
  return undefined
}

/** Ticks all kernels until the clusters are in sync. */
export async function comeLevel(world: World): Promise<void> {
  let missing: string | undefined
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await tickAll(world)
    missing = await unlevel(world)
    if (missing === undefined) return
    world.record(`  not level: ${missing}`)
    await world.settle(world.clock.advance(CLAIMS_END_MS))
  }
  throw new Violation(`after ${MAX_ROUNDS} rounds ${missing}`)
}

export async function checkWorld(world: World): Promise<void> {
  if (world.tampered.size > 0) return checkTampered(world)
  await comeLevel(world)
  // Caches may be two seconds old.
  await world.settle(world.clock.advance(5000))
  for (const site of world.sites) {
    for (const node of site.live) {
      await compareRead(world, site, node)
    }
  }
  for (const site of world.others()) await compareStored(world, site)
  if (world.isRestored) return
  for (const { said } of world.sites)
    if (said.length > 0) throw new Violation(`nothing was set back, but ${said[0]?.node} says ${said[0]?.type}`)
}

/** The number of tree and store records that a tick inspects, at most every 10 seconds. */
const WALKED = 640

/**
 * Changed records are repaired after every record was inspected; on the primary only after its operator requests a reindex. If the primary
 * cannot read a value, no other cluster may change it: secondaries keep theirs, and report the difference until it is readable again.
 */
async function checkTampered(world: World): Promise<void> {
  const stored = world.sites.flatMap(({ memory }) =>
    ['r/', PERFORMANCE.tree].map(async (prefix) => (await memory.list(prefix)).length),
  )
  const turns = Math.ceil((await Promise.all(stored)).reduce((sum, count) => sum + count, 0) / WALKED)
  await tickFor(world, turns + 6)
  if (world.tampered.has(world.primary)) {
    const [node] = world.primary.live
    if (node?.kernel) await world.settle(node.kernel.replication.reindex())
    await tickFor(world, turns + 6)
  }
  await repairUnreadable(world, turns)
  await comeLevel(world)
  for (const site of world.others()) await compareStored(world, site)
  for (const site of world.sites) for (const node of site.live) await compareLocal(world, site, node)
  if (world.tampered.has(world.primary)) return
  for (const site of world.sites) for (const node of site.live) await compareShared(world, node)
}

/** Secondaries report the difference until the unreadable records of the primary are restored. */
async function repairUnreadable(world: World, turns: number): Promise<void> {
  const primaryRecords = await recordsOf(world, world.primary)
  const damaged = [...primaryRecords].flatMap(([key, value]) => (value === DAMAGED ? [key] : []))
  if (damaged.length === 0) return
  for (const site of world.others())
    if (!(await statusesOf(world, site)).some(({ last_error }) => last_error !== undefined))
      throw new Violation(`${site.name} does not say that it differs from ${world.primary.name}`)
  await unflip(world, world.primary, damaged)
  const [node] = world.primary.live
  if (node?.kernel) await world.settle(node.kernel.replication.reindex())
  await tickFor(world, turns + 6)
}

async function tickFor(world: World, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await tickAll(world)
    await world.settle(world.clock.advance(CLAIMS_END_MS))
  }
}

async function compareRead(world: World, site: Site, node: Node): Promise<void> {
  await compareShared(world, node)
  await compareLocal(world, site, node)
}

async function compareShared(world: World, { kernel, name }: Node): Promise<void> {
  for (const subject of SHARED) {
    const found = await world.settle(readSubject(kernel as Kernel, subject))
    const possible = world.shared.possible(subject)
    if (!possible.has(found)) throw new Violation(`${name} has ${subject} = ${found} instead of ${[...possible].join(' or ')}`)
  }
}

async function compareLocal(world: World, site: Site, { kernel, name }: Node): Promise<void> {
  for (const subject of site.local.names) {
    const found = await world.settle(readSubject(kernel as Kernel, subject))
    const possible = site.local.possible(subject)
    if (!possible.has(found))
      throw new Violation(`${name} has its own ${subject} = ${found} instead of ${[...possible].join(' or ')}`)
  }
}

async function compareStored(world: World, site: Site): Promise<void> {
  for (const { text } of differences(site, await recordsOf(world, world.primary), await recordsOf(world, site)))
    throw new Violation(text)
}

type Records = ReadonlyMap<string, string>

/** The differences of a secondary from its primary. */
function* differences(
  site: Site,
  primaryRecords: Records,
  siteRecords: Records,
): Generator<{ readonly key: string; readonly text: string }> {
  for (const key of new Set([...primaryRecords.keys(), ...siteRecords.keys()])) {
    const [here, there] = [primaryRecords.get(key), siteRecords.get(key)]
    if (here === there) continue
    const what = here === undefined ? 'has too much' : there === undefined ? 'lacks' : 'has another value at'
    yield { key, text: `${site.name} ${what} ${key}` }
  }
}

/** Replaces the value of an unreadable record. */
const DAMAGED = 'damaged'

/** Every record of a class, decrypted by a kernel of its own cluster. */
export async function recordsOf(world: World, site: Site, prefix: 'r/' | 'l/' = 'r/'): Promise<Records> {
  const [node] = site.live
  if (!node?.internals) throw new Error(`${site.name} has no kernel`)
  const { store } = node.internals.host
  const stored = await site.memory.scan(prefix)
  const opened = await Promise.all(
    stored.map(async ({ key, ...entry }) => {
      const [one] = await world.settle(store.decryptAll([{ key, ...entry }])).catch(() => [])
      return [key, one ? Buffer.from(one.value).toString('base64') : DAMAGED] as const
    }),
  )
  return new Map(opened)
}
