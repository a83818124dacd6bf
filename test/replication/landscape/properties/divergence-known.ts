/** Two clusters at the same index of the same epoch have the same root, and lost writes can be exported from the cluster that had them. */

import type { Checkpoint } from '../../../../src/sys/replication/log/tree-updater.ts'
import { readLostWrites } from '../../../../src/sys/replication/lost/lost-writes.ts'
import { decodeSlot } from '../../../../src/sys/replication/state/records.ts'
import { centersOf } from '../../simulation/centers.ts'
import type { Node, Site } from '../../simulation/site.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

interface Noted {
  readonly by: string
  readonly root: string
}

interface Seen {
  readonly roots: Map<string, Noted>
  /** Versions of checkpoint records that were already compared. */
  readonly versions: Map<string, number>
}

const seenIn = new WeakMap<Landscape, Seen>()

/** Compares the stored checkpoints. */
export async function rootsAgree(world: Landscape): Promise<void> {
  const seen = seenIn.get(world) ?? { roots: new Map(), versions: new Map() }
  seenIn.set(world, seen)
  for (const site of world.sites) {
    const [node] = site.live
    if (node?.internals && !node.storage?.dead) await look(world, site, node, seen)
  }
}

async function look(world: Landscape, site: Site, node: Node, { roots, versions }: Seen): Promise<void> {
  for (const [name, { host, membership }] of Object.entries(centersOf(node))) {
    const { kind, store } = host
    const relation = (await world.settle(membership.current()).catch(() => undefined))?.relation
    // With a filter the root differs.
    if (!relation || (kind.name === 'performance' && world.wasFiltered)) continue
    for (const { key, value, version } of await site.memory.scan(kind.checkpoints)) {
      if (versions.get(`${site.name} ${key}`) === version) continue
      versions.set(`${site.name} ${key}`, version)
      const [opened] = await world.settle(store.decryptAll([{ key, value, version }])).catch(() => [])
      if (!opened) continue
      const { index, origin, root } = decodeSlot<Checkpoint>(opened.value)
      const at = `${name} ${relation.set} ${origin} ${index}`
      const other = roots.get(at)
      if (other && other.root !== root)
        throw broken('divergenceKnown', `${other.by} and ${site.name} have other roots at ${index} of ${origin} for ${name}`)
      roots.set(at, { by: site.name, root })
    }
  }
}

/** A cluster reports differing roots, which nothing in these schedules may cause. */
export function nobodyDiverged(world: Landscape): void {
  for (const { said } of world.sites)
    for (const { node, type } of said) throw broken('divergenceKnown', `nothing was set back, but ${node} says ${type}`)
}

/** A log with larger limits than these is never truncated. */
const KEPT = { maxBytes: 10_000_000, maxAgeMs: 80_000_000 }

/**
 * Acknowledged values that are missing after a promotion are counted as lost writes, and exported if the log still has them: by the cluster
 * that acknowledged them, or by the cluster that replaced it and lost them later.
 */
export async function givenUpIsKept(world: Landscape): Promise<void> {
  for (const [value, sites] of world.givenUp) {
    const left = [...sites]
    if (left.some(({ live }) => !live[0]?.internals)) continue
    const found = await Promise.all(left.map((site) => lostOf(world, site)))
    const names = left.map(({ name }) => name).join(' or ')
    if (left.every(keepsLog) && !found.some(({ kept }) => kept.includes(value)))
      throw broken('divergenceKnown', `${names} gave ${value} up and has not kept it`)
    if (left.every((site) => world.places.has(site)) && found.every(({ lost }) => lost === 0))
      throw broken('divergenceKnown', `${names} gave ${value} up and counts nothing`)
  }
}

function keepsLog({ parts: { log } }: Site): boolean {
  return log.maxBytes > KEPT.maxBytes && log.maxAgeMs > KEPT.maxAgeMs
}

/** The lost writes of a cluster, and their count. */
async function lostOf(world: Landscape, { live }: Site): Promise<{ readonly kept: string; readonly lost: number }> {
  let [kept, lost] = ['', 0]
  for (const { host } of live[0] ? Object.values(centersOf(live[0])) : []) {
    const { records } = await world.settle(readLostWrites(host, '', 1000, true))
    for (const { changes } of records)
      for (const { value } of changes) kept += value ? `${Buffer.from(value).toString('latin1')}\n` : ''
    lost += (await world.settle(host.kind.replicaProgress.read(host.store))).value?.lost ?? 0
  }
  return { kept, lost }
}
