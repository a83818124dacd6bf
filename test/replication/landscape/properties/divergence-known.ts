/** Whoever stands at one position of one epoch has one root, at any time; and what is given up is in the export of whoever had it. */

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
  /** Versions of records that were looked at. */
  readonly versions: Map<string, number>
}

const seenIn = new WeakMap<Landscape, Seen>()

/** By the checkpoints that clusters note. */
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
    // Whoever has a part has another root.
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

/** Roots that differ are said, and here nothing makes them differ. */
export function nobodyDiverged(world: Landscape): void {
  for (const { said } of world.sites)
    for (const { node, type } of said) throw broken('divergenceKnown', `nothing was set back, but ${node} says ${type}`)
}

/** Nothing is cut from a log that keeps as much. */
const KEPT = { maxBytes: 10_000_000, maxAgeMs: 80_000_000 }

/**
 * What was acknowledged by a cluster, and is not there any more since another one took over: it is counted, and kept as far as the log has it. By
 * that cluster, or by whoever took its place for disaster recovery with it, and then gave it up instead.
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

/** What a cluster keeps of what it gave up, and what it counts. */
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
