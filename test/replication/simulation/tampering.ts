/** Changes stored records directly in the store: flips a byte, or restores an earlier value. */
import type { Entry } from '../../../src/core/storage/port.ts'
import { PERFORMANCE } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Site } from './site.ts'
import type { World } from './world.ts'

/** The changed records: replicated records and those of the tree. */
const PREFIXES = ['r/', PERFORMANCE.tree] as const

/**
 * Routes of the primary are not changed: a primary that cannot read its mounts or namespaces does not open, and no other cluster could
 * repair them.
 */
const MOUNTS = 'r/core/mount/'

const ROUTES: readonly string[] = [MOUNTS, 'r/core/namespace/']

async function changeable(world: World, site: Site, prefix: string): Promise<readonly Entry[]> {
  const kept = site === world.primary ? ROUTES : systemMounts(world)
  return (await site.memory.scan(prefix)).filter(({ key }) => !kept.some((route) => key.startsWith(route)))
}

/** The system mounts are not changed: a kernel without `sys/` cannot follow. */
function systemMounts({ primary }: World): readonly string[] {
  const topology = primary.live[0]?.internals?.topology
  const root = topology?.namespaces.byPath('')
  if (!topology || !root) return ROUTES
  const found = topology.mounts.of(root).filter(({ engine }) => engine.mounts === 'system')
  return found.length > 0 ? found.map(({ record }) => MOUNTS + record.uuid) : ROUTES
}

/** Stored values at an earlier moment, by key. */
export type Memento = ReadonlyMap<string, Uint8Array>

let commits = 0

/** Remembers the stored values, so that some can be restored later. */
export async function remember(world: World, site: Site): Promise<void> {
  const all = await Promise.all(PREFIXES.map((prefix) => changeable(world, site, prefix)))
  site.memento = new Map(all.flat().map(({ key, value }) => [key, value]))
}

/** Flips one bit of a record. */
export async function flip(world: World, site: Site): Promise<void> {
  const found = await changeable(world, site, world.dice.pick(PREFIXES))
  if (found.length === 0) return
  const { key, value } = world.dice.pick(found)
  const at = world.dice.int(0, value.length - 1)
  world.record(`${site.name}: byte ${at} of ${key} is flipped`)
  const known = site.flipped.get(key)
  const now = value.map((byte, n) => (n === at ? byte ^ 1 : byte))
  site.flipped.set(key, { was: isSame(known?.now, value) ? (known?.was ?? value) : value, now })
  await put(world, site, key, now)
}

/** Restores the values from before the flips at these keys. */
export async function unflip(world: World, site: Site, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const found = site.flipped.get(key)
    if (found) await put(world, site, key, found.was)
  }
}

/** Restores one record to its remembered value, or deletes it if it did not exist then. */
export async function setBackOne(world: World, site: Site): Promise<void> {
  const prefix = world.dice.pick(PREFIXES)
  const now = new Map((await changeable(world, site, prefix)).map(({ key, value }) => [key, value]))
  const before = [...site.memento].filter(([key]) => key.startsWith(prefix))
  const was = new Map(before)
  const changed = [...new Set([...now.keys(), ...was.keys()])].filter((key) => !isSame(now.get(key), was.get(key)))
  if (changed.length === 0) return
  const key = world.dice.pick(changed)
  world.record(`${site.name}: ${key} is set back`)
  await put(world, site, key, was.get(key))
}

async function put(world: World, site: Site, key: string, value: Uint8Array | undefined): Promise<void> {
  world.tampered.add(site)
  await site.memory.commit([value ? { op: 'put', key, value } : { op: 'del', key }], `behind its back ${++commits}`)
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(b))
