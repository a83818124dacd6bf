/** Clusters change their parts, as their operators would have them do it. */
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

/** Tries on kernels of a site until it is done or refused. @throws Error when it is neither in the end. */
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
    world.say(`  ${site.name}: ${what}: ${outcome}${error instanceof Error ? ` (${error.message}, ${error.cause})` : ''}`)
    if (outcome !== 'unknown') return outcome
    last = error
    // A claim of somebody who has died ends after half a minute.
    await world.settle(world.clock.advance(5000))
  }
  throw new Error(`${site.name}: ${what} does not come to an end: ${last}`)
}

export async function modeOf(world: World, site: Site, kind: ReplicationKindName = 'performance'): Promise<string> {
  let mode = ''
  await insist(world, site, 'mode', async (kernel) => {
    const status = await statusOf(kernel, kind).catch(() => undefined)
    mode = status?.mode ?? 'bootstrapping'
    // It is being made a secondary; a tick goes on with it.
    if (mode === 'bootstrapping') await kernel.tick()
    if (mode === 'bootstrapping') throw new Error('bootstrapping')
  })
  return mode
}

/** Processes that live on have no more accidents in store for them. */
export async function reopen(world: World, site: Site): Promise<void> {
  for (const node of site.nodes) {
    if (node.kernel) node.storage?.dieAt(Number.POSITIVE_INFINITY, 'before')
    else await world.settle(node.open())
  }
}

/** A change of a cluster's role. All its processes may tick at the same time. */
export async function besideTicks(world: World, site: Site, change: () => Promise<unknown>): Promise<void> {
  const ticks = world.beside.chance(0.5) ? site.live.map(({ kernel }) => kernel?.tick().catch(() => {})) : []
  try {
    await change()
  } finally {
    await Promise.all(ticks)
  }
}

/** A secondary leaves the set and joins it again, while its primary writes and ticks. Its own records are gone then. */
export async function rejoin(world: World, site: Site): Promise<void> {
  if (site.follows !== world.primary.name || (await modeOf(world, site)) !== 'secondary') return
  world.say(`${site.name} leaves and joins again`)
  world.net.heal()
  await insist(world, site, 'leave', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'secondary') await besideTicks(world, site, () => kernel.replication.disableSecondary())
  })
  site.local = new Model()
  site.hasCome = false
  const writes = world.primary.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name)).slice(0, 1)
  const ticks = world.primary.live.map(({ kernel }) => kernel?.tick().catch(() => {}))
  const written = writes.map(async (write) => world.say(`${write.text}: ${await write.run()}`))
  await enable(world, site)
  await world.settle(Promise.all([...written, ...ticks]))
}

/** The first primary, and secondaries that were given its tokens. */
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
    await world.settle(outcomeOf(besideTicks(world, site, () => kernel.replication.enableSecondary({ token }))))
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

/** Whether a site has ever been level with its primary. */
export async function hasCome(world: World, site: Site): Promise<boolean> {
  if (site.hasCome) return true
  const status = await world.settle(statusOf(await world.kernelAt(site)).catch(() => undefined))
  site.hasCome = status !== undefined && (status.mode === 'primary' || (status.last_remote_wal ?? 0) > 0)
  return site.hasCome
}

/** A secondary takes over without asking: what it holds is what there is from now on. */
export async function takeOver(world: World, site: Site): Promise<void> {
  if ((await modeOf(world, site)) !== 'secondary' || !(await hasCome(world, site))) return
  world.say(`${site.name} takes over by force`)
  await insist(world, site, 'promote by force', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'primary') return
    await besideTicks(world, site, () => kernel.replication.promote({ force: true }))
  })
  site.follows = undefined
  world.primary = site
  await adopt(world, site)
}

/** What a cluster holds is what there is. */
export async function adopt(world: World, site: Site): Promise<void> {
  for (const subject of SHARED) {
    await insist(world, site, `read ${subject}`, async (kernel) => world.shared.set(subject, await readSubject(kernel, subject)))
  }
}

/** The primary gives its part away, and nothing is lost by it: whoever takes over can ask it for all that there is. */
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
  world.say(`${from.name} hands over to ${to.name}`)
  // Others write while it happens, and what is acknowledged counts.
  const writes = from.live.map(({ kernel, name }) => sharedWrite(world, kernel as Kernel, name))
  const apart = writes.filter(({ subjects }) => !subjects.some((one) => writes[0]?.subjects.includes(one)))
  const written = [...writes.slice(0, 1), ...apart].map(async (write) => world.say(`${write.text}: ${await write.run()}`))
  await insist(world, from, 'demote', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'secondary') return
    await besideTicks(world, from, () => kernel.replication.demotePrimary({}))
  })
  await world.settle(Promise.all(written))
  for (let tries = 0; tries < 3; tries++) {
    await insist(world, to, 'promote', async (kernel) => {
      // Any kernel of the former primary may have the claim under which the certificate is written.
      for (const node of from.live) await node.kernel?.tick()
      await kernel.tick()
      if ((await statusOf(kernel)).mode === 'primary') return
      await besideTicks(world, to, () => kernel.replication.promote({}))
    }).catch(() => {})
    if ((await modeOf(world, to)) !== 'primary') continue
    to.follows = undefined
    world.primary = to
    return
  }
  // It has everything, so nothing is lost where it goes on.
  await insist(world, from, 'promote again', async (kernel) => {
    if ((await statusOf(kernel)).mode === 'primary') return
    await kernel.replication.promote({ force: true })
  })
}

/** Everybody follows the primary, where it can be reached. @returns Whether all do. */
export async function gather(world: World): Promise<boolean> {
  for (const site of world.others()) {
    if (site.follows === world.primary.name) continue
    world.say(`${site.name} is told to follow ${world.primary.name}`)
    if ((await modeOf(world, site)) === 'primary')
      await insist(world, site, 'demote', (kernel) => kernel.replication.demotePrimary({}))
    const token = await tokenFor(world)
    const kernel = await world.kernelAt(site)
    const { outcome, error } = await world.settle(
      outcomeOf(besideTicks(world, site, () => kernel.replication.updatePrimary({ token }))),
    )
    world.say(`  ${site.name}: update: ${outcome} (${error})`)
    if (outcome === 'done') site.follows = world.primary.name
    // It has another key pair from then on, and may have it already: whoever followed it needs a token again.
    for (const other of world.sites) if (other.follows === site.name) other.follows = undefined
    await world.bury()
  }
  return world.others().every(({ follows }) => follows === world.primary.name)
}

/** Whoever took over without knowing of a newer epoch writes no more when it hears of that: its operators have to insist. */
export async function insistOnPrimary(world: World): Promise<void> {
  if ((await modeOf(world, world.primary)) !== 'primary') await takeOver(world, world.primary)
}

/** The primary's store is set back to a backup, and its users go on. */
export async function setBack(world: World): Promise<void> {
  const site = world.primary
  world.say(`a backup of ${site.name} is taken`)
  const kept = memoryStorage({ maxOps: 128 })
  const { clock } = world
  await world.settle(restoreStorage(backupStorage(site.memory, { clock }), kept, { clock }))
  const local = new Model(site.local)
  const count = world.dice.int(1, 12)
  await write(world, count)
  for (const other of world.others())
    for (const { kernel } of other.live) await world.settle(outcomeOf((kernel as Kernel).tick()))
  world.say(`${site.name} is set back to it`)
  for (const node of site.live) await world.settle(node.close())
  site.memory = kept
  site.local = local
  world.isRestored = true
  await reopen(world, site)
  await adopt(world, site)
  // Secondaries that are ahead say so until the primary is where they are.
  await write(world, count + 5)
}

async function write(world: World, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const action = sharedWrite(world, await world.kernelAt(world.primary), world.primary.name)
    world.say(`${action.text}: ${await world.settle(action.run())}`)
    await world.bury()
  }
}
