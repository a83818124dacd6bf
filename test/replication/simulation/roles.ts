/** Role changes, as operators make them. */
import { backupStorage, memoryStorage, restoreStorage } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import { sharedWrite } from './actions.ts'
import { ABSENT, Model } from './model.ts'
import type { Site } from './site.ts'
import { statusOf } from './status.ts'
import { readSubject, SHARED } from './subjects.ts'
import { outcomeOf, type World } from './world.ts'

const TRIES = 20

/** Repeats a call on kernels of a site until it is done or refused. @throws Error if it is neither after all attempts. */
export async function insist(
  world: World,
  site: Site,
  what: string,
  call: (kernel: Kernel) => Promise<unknown>,
): Promise<'done' | 'refused'> {
  let last: unknown
  for (let tries = 0; tries < TRIES; tries++) {
    await world.bury()
    const kernel = await world.kernelAt(site)
    const { outcome, error } = await world.settle(outcomeOf(call(kernel)))
    world.record(`  ${site.name}: ${what}: ${outcome}${error instanceof Error ? ` (${error.message}, ${error.cause})` : ''}`)
    if (outcome !== 'unknown') return outcome
    last = error
    // The claim of a dead process expires after half a minute.
    await world.settle(world.clock.advance(5000))
  }
  throw new Error(`${site.name}: ${what} does not come to an end: ${last}`)
}

export async function modeOf(world: World, site: Site, kind: ReplicationKindName = 'performance'): Promise<string> {
  let mode = ''
  await insist(world, site, 'mode', async (kernel) => {
    const status = await statusOf(kernel, kind).catch(() => undefined)
    mode = status?.mode ?? 'bootstrapping'
    // The cluster is being made a secondary, which a tick continues.
    if (mode === 'bootstrapping') await kernel.tick()
    if (mode === 'bootstrapping') throw new Error('bootstrapping')
  })
  return mode
}

/** Cancels scheduled deaths of running processes, and starts the others. */
export async function reopen(world: World, site: Site): Promise<void> {
  for (const node of site.nodes) {
    if (node.kernel) node.storage?.dieAt(Number.POSITIVE_INFINITY, 'before')
    else await world.settle(node.open())
  }
}

/** Changes a cluster's role. All its processes may tick concurrently. */
export async function duringTicks(world: World, site: Site, change: () => Promise<unknown>): Promise<void> {
  const ticks = world.concurrentDice.chance(0.5) ? site.live.map(({ kernel }) => kernel?.tick().catch(() => {})) : []
  try {
    await change()
  } finally {
    await Promise.all(ticks)
  }
}

/** A secondary leaves the set and joins it again while its primary writes and ticks. This discards its own records. */
export async function rejoin(world: World, site: Site): Promise<void> {
  if (site.follows !== world.primary.name || (await modeOf(world, site)) !== 'secondary') return
  world.record(`${site.name} leaves and joins again`)
  world.net.heal()
  await insist(world, site, 'leave', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'secondary') await duringTicks(world, site, () => kernel.replication.disableSecondary())
  })
  site.local = new Model()
  site.hasCome = false
  const writes = world.primary.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name)).slice(0, 1)
  const ticks = world.primary.live.map(({ kernel }) => kernel?.tick().catch(() => {}))
  const written = writes.map(async (write) => world.record(`${write.text}: ${await write.run()}`))
  await enable(world, site)
  await world.settle(Promise.all([...written, ...ticks]))
}

/** Creates the first primary, and lets the other clusters join it. */
export async function begin(world: World): Promise<void> {
  for (const site of world.sites) for (const node of site.nodes) await world.settle(node.open())
  const kernel = await world.kernelAt(world.primary)
  await world.settle(kernel.mounts.createMount({ path: 'two', type: 'kv', options: { version: '2' } }))
  if (world.dice.chance(0.5)) await world.settle(kernel.kv.writeSecret({ path: 'a', data: { v: 'first' } }))
  world.shared.join('v1:a', [ABSENT, 'first'])
  await world.settle(kernel.replication.enablePrimary({}))
  world.shared.set('v1:a', await world.settle(readSubject(kernel, 'v1:a')))
  for (const site of world.others()) await enable(world, site)
}

async function enable(world: World, site: Site): Promise<void> {
  while ((await modeOf(world, site)) !== 'secondary') {
    const token = await tokenFor(world)
    const kernel = await world.kernelAt(site)
    await world.settle(outcomeOf(duringTicks(world, site, () => kernel.replication.enableSecondary({ token }))))
  }
  site.follows = world.primary.name
}

async function tokenFor(world: World): Promise<string> {
  let token = ''
  while (!token)
    await insist(world, world.primary, 'token', async (kernel) => {
      token = (await kernel.replication.createSecondaryToken({ id: world.fresh() })).wrap_info?.token ?? ''
    })
  return token
}

/** Whether a site has ever been in sync with its primary. */
export async function hasCome(world: World, site: Site): Promise<boolean> {
  if (site.hasCome) return true
  const status = await world.settle(statusOf(await world.kernelAt(site)).catch(() => undefined))
  site.hasCome = status !== undefined && (status.mode === 'primary' || (status.last_remote_wal ?? 0) > 0)
  return site.hasCome
}

/** A forced promotion. The data of the promoted cluster is the current data from now on. */
export async function takeOver(world: World, site: Site): Promise<void> {
  if ((await modeOf(world, site)) !== 'secondary' || !(await hasCome(world, site))) return
  world.record(`${site.name} takes over by force`)
  await insist(world, site, 'promote by force', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'primary') return
    await duringTicks(world, site, () => kernel.replication.promote({ force: true }))
  })
  site.follows = undefined
  world.primary = site
  await adopt(world, site)
}

/** Takes the data of a cluster as the current data. */
export async function adopt(world: World, site: Site): Promise<void> {
  for (const subject of SHARED) {
    await insist(world, site, `read ${subject}`, async (kernel) => world.shared.set(subject, await readSubject(kernel, subject)))
  }
}

/** The primary is demoted, so nothing is lost: the new primary can fetch every record from it. */
export async function handOver(world: World, to: Site): Promise<void> {
  const from = world.primary
  const { calm } = world.net
  world.net.calm = true
  world.net.heal()
  try {
    await handOverTo(world, from, to)
  } finally {
    world.net.calm = calm
  }
}

async function handOverTo(world: World, from: Site, to: Site): Promise<void> {
  if (to.follows !== from.name) return
  await reopen(world, from)
  world.record(`${from.name} hands over to ${to.name}`)
  // Writes during the failover count if they are acknowledged.
  const writes = from.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name))
  const apart = writes.filter(({ subjects }) => !subjects.some((subject) => writes[0]?.subjects.includes(subject)))
  const written = [...writes.slice(0, 1), ...apart].map(async (write) => world.record(`${write.text}: ${await write.run()}`))
  await insist(world, from, 'demote', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'secondary') return
    await duringTicks(world, from, () => kernel.replication.demotePrimary({}))
  })
  await world.settle(Promise.all(written))
  for (let tries = 0; tries < 3; tries++) {
    await insist(world, to, 'promote', async (kernel) => {
      // The certificate is written under the claim, which any kernel of the former primary may hold.
      for (const node of from.live) await node.kernel?.tick()
      await kernel.tick()
      if ((await statusOf(kernel)).mode === 'primary') return
      await duringTicks(world, to, () => kernel.replication.promote({}))
    }).catch(() => {})
    if ((await modeOf(world, to)) !== 'primary') continue
    to.follows = undefined
    world.primary = to
    return
  }
  // The former primary has every record, so nothing is lost if it continues.
  await insist(world, from, 'promote again', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'primary') return
    await kernel.replication.promote({ force: true })
  })
}

/** Lets every cluster follow the primary, if it is reachable. @returns Whether all do. */
export async function gather(world: World): Promise<boolean> {
  for (const site of world.others()) {
    if (site.follows === world.primary.name) continue
    world.record(`${site.name} is told to follow ${world.primary.name}`)
    if ((await modeOf(world, site)) === 'primary')
      await insist(world, site, 'demote', (kernel) => kernel.replication.demotePrimary({}))
    const token = await tokenFor(world)
    const kernel = await world.kernelAt(site)
    const { outcome, error } = await world.settle(
      outcomeOf(duringTicks(world, site, () => kernel.replication.updatePrimary({ token }))),
    )
    world.record(`  ${site.name}: update: ${outcome} (${error})`)
    if (outcome === 'done') site.follows = world.primary.name
    // The cluster has a new key pair, perhaps although the answer was lost, so its followers need new tokens.
    for (const other of world.sites) if (other.follows === site.name) other.follows = undefined
    await world.bury()
  }
  return world.others().every(({ follows }) => follows === world.primary.name)
}

/** A primary that learns of a newer epoch stops writing. Its operator then promotes it by force. */
export async function insistOnPrimary(world: World): Promise<void> {
  if ((await modeOf(world, world.primary)) !== 'primary') await takeOver(world, world.primary)
}

/** Restores the primary's store from a backup. Its users continue. */
export async function setBack(world: World): Promise<void> {
  const site = world.primary
  world.record(`a backup of ${site.name} is taken`)
  const kept = memoryStorage({ maxOps: 128 })
  const { clock } = world
  await world.settle(restoreStorage(backupStorage(site.memory, { clock }), kept, { clock }))
  const local = new Model(site.local)
  const count = world.dice.int(1, 12)
  await write(world, count)
  for (const site of world.others()) for (const { kernel } of site.live) await world.settle(outcomeOf((kernel as Kernel).tick()))
  world.record(`${site.name} is set back to it`)
  for (const node of site.live) await world.settle(node.close())
  site.memory = kept
  site.local = local
  world.isRestored = true
  await reopen(world, site)
  await adopt(world, site)
  // Secondaries that are ahead report it until the primary has passed their position.
  await write(world, count + 5)
}

async function write(world: World, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const action = sharedWrite(world, await world.kernelAt(world.primary), world.primary.name)
    world.record(`${action.text}: ${await world.settle(action.run())}`)
    await world.bury()
  }
}
