/** Schedules about data that a Merkle sync adds or removes. */
import { MOUNT_KEYS } from '../../../../src/sys/replication/filters/secondary-scopes.ts'
import { uuidOf } from '../../filters/sites.ts'
import { centersOf } from '../../simulation/centers.ts'
import {
  changing,
  kernelOf,
  loseLog,
  nodeOf,
  readStatus,
  recordOutcome,
  siteOf,
  tick,
  until,
  write,
} from '../../simulation/directed/steps.ts'
import type { Node, Site } from '../../simulation/site.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from '../properties/broken.ts'
import { checkStep, type Schedule } from '../simulate.ts'

const PAIR: Pick<Schedule, 'layout' | 'kernels'> = { layout: [[1, 'performance', 0]], kernels: [1, 1] }

const SLOW_MS = 2000

/** During a Merkle sync the primary writes to buckets that were already compared. */
export const writtenMeanwhile: Omit<Schedule, 'seed'> = {
  ...PAIR,
  async script(world) {
    const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
    const [a1, b1] = [nodeOf(a, 0), nodeOf(b, 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1)
    for (const path of ['a', 'b', 'c/d']) await write(world, a1, path)
    await loseLog(a)
    world.net.latency = SLOW_MS
    const ticking = kernelOf(b1).tick()
    await until(world, b1, 'merkle-sync')
    for (const path of ['e', 'b', 'a']) await write(world, a1, path)
    await world.settle(ticking)
    world.net.latency = 0
    await tick(world, a1, b1)
    await checkStep(world)
  },
}

/** More secrets than one commit can write. */
const SECRETS = 104

async function largeMount(world: Landscape, node: Node): Promise<string> {
  const kernel = kernelOf(node)
  await world.settle(kernel.mounts.createMount({ path: 'm1', type: 'kv' }))
  for (let n = 0; n < SECRETS; n++)
    await world.settle(kernel.kv.at('m1/').writeSecret({ path: n === 0 ? 'x' : `x${n}`, data: { v: 'large' } }))
  world.shared.set('mount:m1', 'large')
  if (!node.kernel || !node.internals) throw new Error('it does not run')
  return uuidOf({ kernel: node.kernel, internals: node.internals, storage: node.site.memory }, '', 'm1/')
}

async function filter(world: Landscape, mode: 'deny' | 'none'): Promise<void> {
  const [a1, b] = [nodeOf(siteOf(world, 0), 0), siteOf(world, 1)]
  const { replication } = kernelOf(a1)
  const id = world.ids.get(b) ?? ''
  if (mode === 'none') {
    await recordOutcome(world, 'no filter', replication.deletePathsFilter({ id }))
    world.filters.delete(id)
    return
  }
  world.wasFiltered = true
  const filter = { mode, paths: ['m1/'] } as const
  await recordOutcome(world, 'm1 is denied', replication.writePathsFilter({ id, ...filter }))
  world.filters.set(id, filter)
}

/** A mount with a record has all its data, both when it is admitted and when it is denied. */
async function isWholeOrGone({ memory, name }: Site, of: Site, uuid: string): Promise<void> {
  if (!(await memory.get(MOUNT_KEYS + uuid))) return
  const [held, expected] = [await memory.list(`r/${uuid}/`), await of.memory.list(`r/${uuid}/`)]
  if (held.length !== expected.length)
    throw broken('replicasEqual', `${name} has the mount ${uuid}, and ${held.length} of ${expected.length} records of it`)
}

/** The secondary dies at each commit of the change. */
async function dyingAtEach(world: Landscape, uuid: string): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1] = [nodeOf(a, 0), nodeOf(b, 0)]
  await tick(world, a1)
  for (let tries = 0; tries < 30; tries++) {
    b1.storage?.dieAt(1, 'after', changing(`r/${uuid}/`, MOUNT_KEYS + uuid))
    await world.settle(kernelOf(b1).tick()).catch(() => {})
    const hasDied = b1.storage?.dead
    if (!hasDied && (await readStatus(world, b1)).state === 'stream-wals') return
    await world.bury()
    await isWholeOrGone(b, a, uuid)
    if (hasDied) await world.settle(b1.open())
    // A dead process may still hold the claim.
    await world.settle(world.clock.advance(31_000))
    await tick(world, a1)
  }
  throw new Error('it does not come to an end')
}

/** A mount is admitted by the end of a filter. */
export const admitted: Omit<Schedule, 'seed'> = {
  ...PAIR,
  async script(world) {
    const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0)]
    await filter(world, 'deny')
    const uuid = await largeMount(world, a1)
    await tick(world, a1, b1)
    await filter(world, 'none')
    await dyingAtEach(world, uuid)
  },
}

/** A mount is denied by a new filter. */
export const denied: Omit<Schedule, 'seed'> = {
  ...PAIR,
  async script(world) {
    const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0)]
    const uuid = await largeMount(world, a1)
    await tick(world, a1, b1)
    await filter(world, 'deny')
    await dyingAtEach(world, uuid)
  },
}

/** A faulty primary sends records of a class that never leaves a cluster. */
export const foreignClass: Omit<Schedule, 'seed'> = {
  ...PAIR,
  async script(world) {
    const b = siteOf(world, 1)
    const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(b, 0)]
    await tick(world, a1, b1)
    const { client_token } = await world.settle(kernelOf(b1).tokens.createToken({ policies: ['default'], ttl: '20d' }))
    b.local.set(`token:${client_token}`, 'alive')
    const { follower } = centersOf(b1).performance
    const ask = follower.ask
    const own = (await b.memory.list('l/core/token/')).map((name) => ({ key: `l/core/token/${name}` }))
    follower.ask = async (message, signal, once) => {
      const answer = await ask(message, signal, once)
      const [first, ...more] = (answer['records'] ?? []) as readonly { readonly ops: readonly object[] }[]
      return message['kind'] === 'fetch' && first
        ? { ...answer, records: [{ ...first, ops: [...first.ops, ...own] }, ...more] }
        : answer
    }
    await write(world, a1, 'a')
    await tick(world, b1)
    follower.ask = ask
  },
}

/** A cluster uses a token that was created in advance and then revoked. */
export const revokedAhead: Omit<Schedule, 'seed'> = {
  ...PAIR,
  kernels: [1, 1, 1],
  async script(world) {
    const [a1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 2), 0)]
    const [first, own] = [kernelOf(a1).replication, kernelOf(c1)]
    await world.settle(own.kv.writeSecret({ path: 'own', data: { v: 'own' } }))
    const { secondary_public_key } = await world.settle(own.replication.generatePublicKey())
    const { token } = await world.settle(first.createSecondaryToken({ id: 'ahead', secondary_public_key }))
    await world.settle(first.revokeSecondary({ id: 'ahead' }))
    const outcome = await recordOutcome(world, 'c1 is enabled', own.replication.enableSecondary({ token: token ?? '' }))
    const found = await world.settle(own.kv.readSecret({ path: 'own' }).catch(() => undefined))
    if (found?.data?.['v'] !== 'own') throw broken('replicasEqual', `c lost what it held by a token that is revoked (${outcome})`)
  },
}

/** A log entry arrives without its ops. Store, log and tree must agree about what was applied. */
export const keptBack: Omit<Schedule, 'seed'> = {
  layout: [[1, 'performance', 0]],
  kernels: [1, 1],
  async script(world) {
    const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1)
    await write(world, a1, 'a')
    const { follower } = centersOf(b1).performance
    const { ask } = follower
    follower.ask = async (message, signal, once) => {
      const answer = await ask.call(follower, message, signal, once)
      if (message['kind'] !== 'fetch') return answer
      const records = answer['records'] as readonly { readonly ops: readonly unknown[] }[]
      return { ...answer, records: records.map((record) => ({ ...record, ops: [] })) } as typeof answer
    }
    await tick(world, b1)
    follower.ask = ask
    // The difference is reported, so reports are not a violation.
    world.isRestored = true
  },
}
