/** Replicas have exactly the data of their primary, or the part that their filter admits, and each cluster has its own data. */
import { CORE } from '../../../../src/core/transaction/core-key.ts'
import type { Kernel } from '../../../../src/kernel.ts'
import { domainOf, namespaceOf } from '../../../../src/sys/replication/state/domain.ts'
import type { Node, Site } from '../../simulation/site.ts'
import { readSubject, SHARED } from '../../simulation/subjects.ts'
import { recordsOf } from '../../simulation/verdict.ts'
import { admitsMount, admitsName, admitsNamespace, type Filter, seenThrough } from '../admission.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

export async function replicasEqual(world: Landscape): Promise<void> {
  for (const site of world.sites) {
    const place = world.places.get(site)
    if (!place) continue
    const classes = place.kind === 'dr' ? (['r/', 'l/'] as const) : (['r/'] as const)
    for (const prefix of classes) await compareStored(world, site, place.of, prefix)
  }
  for (const site of world.serving()) for (const node of site.live) await compareRead(world, site, node)
}

async function compareStored(world: Landscape, site: Site, of: Site, prefix: 'r/' | 'l/'): Promise<void> {
  const filter = world.filterOf(site)
  const [primaryRecords, ownRecords] = [await recordsOf(world, of, prefix), await recordsOf(world, site, prefix)]
  for (const key of new Set([...primaryRecords.keys(), ...ownRecords.keys()])) {
    const expected = isAdmitted(of, filter, key) ? primaryRecords.get(key) : undefined
    const found = ownRecords.get(key)
    if (found === expected) continue
    const what = expected === undefined ? 'has too much' : found === undefined ? 'lacks' : 'has another value at'
    throw broken('replicasEqual', `${site.name} ${what} ${key}`)
  }
}

function isAdmitted({ live }: Site, filter: Filter | undefined, key: string): boolean {
  const topology = live[0]?.internals?.topology
  if (!filter || !topology) return true
  const { namespaces, mounts } = topology
  const domain = domainOf(key)
  if (domain === CORE) return true
  const named = namespaceOf(domain)
  if (named !== undefined) return admitsName(filter, namespaces.byUuid(named)?.path ?? '')
  const namespace = namespaces.byUuid(domain)
  if (namespace) return admitsNamespace(filter, namespace.path)
  for (const outer of [namespaces.byPath(''), ...namespaces.below('')])
    for (const { record } of outer ? mounts.of(outer) : [])
      if (record.uuid === domain) return admitsMount(filter, outer?.path ?? '', record.path)
  return false
}

async function compareRead(world: Landscape, site: Site, { kernel, name }: Node): Promise<void> {
  const filter = world.filterOf(site)
  const check = async (subject: string, possible: ReadonlySet<string>): Promise<void> => {
    const found = await world.settle(readSubject(kernel as Kernel, subject))
    if (!possible.has(found))
      throw broken('replicasEqual', `${name} has ${subject} = ${found} instead of ${[...possible].join(' or ')}`)
  }
  for (const subject of SHARED)
    await check(subject, new Set([...world.shared.possible(subject)].map((value) => seenThrough(filter, subject, value))))
  for (const subject of site.local.names) await check(subject, site.local.possible(subject))
}
