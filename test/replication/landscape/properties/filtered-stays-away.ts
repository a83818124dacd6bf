/** Excluded data is never sent, neither names nor values, and is removed from store, log and tree. */
import type { Topology } from '../../../../src/core/mount/topology.ts'
import { contentsOf } from '../../filters/sites.ts'
import { ABSENT } from '../../simulation/model.ts'
import type { Site } from '../../simulation/site.ts'
import { SHARED } from '../../simulation/subjects.ts'
import { admitsMount, admitsName, type Filter, seenThrough } from '../admission.ts'
import { FRESH } from '../fresh.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

/** The uuids of the mounts and namespaces that the filter excludes now. */
function deniedUuids({ namespaces, mounts }: Topology, filter: Filter): readonly string[] {
  const all = [...namespaces.below(''), namespaces.byPath('')].filter((candidate) => candidate !== undefined)
  const denied: string[] = []
  for (const namespace of all) {
    if (!admitsName(filter, namespace.path)) denied.push(namespace.uuid)
    for (const { record, engine } of mounts.of(namespace))
      if (engine.mounts !== 'system' && !record.local && !admitsMount(filter, namespace.path, record.path))
        denied.push(record.uuid)
  }
  return denied
}

async function topologyOf(world: Landscape): Promise<Topology | undefined> {
  const [node] = world.primary.live.filter(({ storage }) => !storage?.dead)
  if (!node?.internals) return undefined
  const { host, topology } = node.internals
  await host.freshness.renew()
  await topology.fresh()
  return topology
}

/** Values that exist only in excluded mounts. */
const deniedValues = (world: Landscape, filter: Filter): readonly string[] =>
  SHARED.flatMap((subject) =>
    [...world.shared.possible(subject)].filter(
      (value) => FRESH.exec(value)?.[0] === value && seenThrough(filter, subject, value) === ABSENT,
    ),
  )

/** Describes the excluded data in a text; undefined if it contains no such data. */
export async function deniedIn(world: Landscape, filter: Filter, text: string): Promise<string | undefined> {
  const topology = await topologyOf(world).catch(() => undefined)
  if (!topology) return undefined
  const uuid = deniedUuids(topology, filter).find((deniedUuid) => text.includes(deniedUuid))
  if (uuid !== undefined) return `mount or namespace ${uuid}`
  const value = deniedValues(world, filter).find((deniedValue) => text.includes(deniedValue))
  return value && `the value ${value}`
}

/**
 * Records about removed mounts may contain uuids. Lost writes of this cluster are its own until an operator deletes them.
 */
const TRACE = /^(i\/claim|i\/replication\/quarantine|log \d+ (del|guard))/

const DR_QUARANTINE = /^i\/replication\/dr\/quarantine/

/**
 * Which lost DR writes a cluster may keep: all of them if it was the first primary or its DR secondary; otherwise only records that are
 * never sent to performance secondaries.
 */
const isGivenUp = (world: Landscape, site: Site, text: string): boolean =>
  DR_QUARANTINE.test(text) && (world.writers.has(site) || !/r\/(core|[0-9a-f-]{36})\//.test(text))

export async function filteredIsGone(world: Landscape, site: Site): Promise<void> {
  const filter = world.filterOf(site)
  const [node] = site.live
  const topology = await world.settle(topologyOf(world))
  if (!filter || !node?.kernel || !node.internals || !topology) return
  const marks = [...deniedUuids(topology, filter), ...deniedValues(world, filter)]
  const texts = await world.settle(contentsOf({ kernel: node.kernel, internals: node.internals, storage: site.memory }))
  for (const text of texts) {
    const mark = TRACE.test(text) || isGivenUp(world, site, text) ? undefined : marks.find((mark) => text.includes(mark))
    if (mark !== undefined) throw broken('filteredStaysAway', `${site.name} has ${mark} in ${text.split('\n')[0]}`)
  }
}
