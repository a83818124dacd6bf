/** Creates the sets: first the primaries, then their followers. */
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import { ABSENT } from '../simulation/model.ts'
import { duringTicks, insist, modeOf } from '../simulation/roles.ts'
import type { Site } from '../simulation/site.ts'
import { facadeOf, statusOf } from '../simulation/status.ts'
import { readSubject } from '../simulation/subjects.ts'
import { outcomeOf } from '../simulation/world.ts'
import type { Landscape } from './landscape.ts'

export async function begin(world: Landscape): Promise<void> {
  for (const site of world.sites) for (const node of site.nodes) await world.settle(node.open())
  const kernel = await world.kernelAt(world.primary)
  await world.settle(kernel.mounts.createMount({ path: 'two', type: 'kv', options: { version: '2' } }))
  world.shared.join('v1:a', [ABSENT, 'first'])
  if (world.dice.chance(0.5)) await world.settle(kernel.kv.writeSecret({ path: 'a', data: { v: 'first' } }))
  world.shared.set('v1:a', await world.settle(readSubject(kernel, 'v1:a')))
  for (const site of world.sites) {
    if (world.places.has(site)) await enable(world, site)
    for (const kind of world.kindsOf(site)) await world.settle(facadeOf(await world.kernelAt(site), kind).enablePrimary({}))
  }
}

export async function enable(world: Landscape, site: Site): Promise<void> {
  const place = world.places.get(site)
  if (!place) return
  const { kind, of } = place
  while ((await modeOf(world, site, kind)) !== 'secondary') {
    const activation = await tokenFor(world, of, kind)
    if (!activation) throw new Error(`${of.name} gives no token`)
    const kernel = await world.kernelAt(site)
    await world.settle(
      outcomeOf(duringTicks(world, site, () => facadeOf(kernel, kind).enableSecondary({ token: activation.token }))),
    )
    world.ids.set(site, activation.id)
  }
  site.follows = of.name
  // A cluster signs activation tokens with replicated records, so it must have received them.
  const { calm } = world.net
  world.net.calm = true
  while (world.kindsOf(site).length > 0 && !(await hasCome(world, site))) await world.settle((await world.kernelAt(site)).tick())
  world.net.calm = calm
}

/** An activation token and its id; undefined if the cluster refuses. */
export async function tokenFor(
  world: Landscape,
  of: Site,
  kind: ReplicationKindName,
): Promise<{ readonly id: string; readonly token: string } | undefined> {
  let id = ''
  let token = ''
  const outcome = await insist(world, of, 'token', async (kernel) => {
    id = world.fresh()
    token = (await facadeOf(kernel, kind).createSecondaryToken({ id })).wrap_info?.token ?? ''
  })
  return outcome === 'done' ? { id, token } : undefined
}

/** Whether a cluster has ever been in sync with the one that it follows. */
export async function hasCome(world: Landscape, site: Site): Promise<boolean> {
  const kind = world.places.get(site)?.kind ?? 'performance'
  if (kind === 'performance' && site.hasCome) return true
  const status = await world.settle(statusOf(await world.kernelAt(site), kind).catch(() => undefined))
  const has = status !== undefined && (status.mode !== 'secondary' || (status.last_remote_wal ?? 0) > 0)
  if (kind === 'performance') site.hasCome = has
  return has
}
