/**
 * The mounts and namespaces that a filter leaves out at present.
 */
import { Slices } from '../../../core/base/slices.ts'
import { isLocal } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { Center } from '../center.ts'
import { isBuiltIn } from './rules.ts'
import type { View } from './views.ts'

/** Full paths, in byte order. */
export interface Filtered {
  readonly dynamic_filtered_mounts: readonly string[]
  readonly dynamic_filtered_namespaces: readonly string[]
}

const NAMESPACE_MICROSECONDS = 50

/** Mounts that every namespace has by itself go with it, and local ones are nobody else's anyway: neither is listed. */
export async function filteredBy({ insides, host }: Center, view: View): Promise<Filtered> {
  const { rules } = view
  if (!rules) return { dynamic_filtered_mounts: [], dynamic_filtered_namespaces: [] }
  const { namespaces, mounts } = insides.topology
  const slices = new Slices(host.clock)
  const outside: string[] = []
  const without: string[] = []
  for (const namespace of [ROOT_NAMESPACE, ...namespaces.below('')]) {
    const { path } = namespace
    if (!rules.namespaceRecord(path)) outside.push(path)
    const own = mounts.of(namespace)
    for (const { record } of own)
      if (!isLocal(record) && !isBuiltIn(record.path) && !rules.mount(path, record.path)) without.push(path + record.path)
    if (slices.spend(NAMESPACE_MICROSECONDS + own.length)) await slices.giveWay()
  }
  return { dynamic_filtered_mounts: without.sort(), dynamic_filtered_namespaces: outside.sort() }
}

/** Characters of one page. */
const PAGE_CHARACTERS = 1_048_576

/** A page as a secondary is told it: mounts and namespaces behind `after`, each with its letter in front. */
export async function pageOfFiltered(
  center: Center,
  view: View,
  after: string,
): Promise<{ readonly filtered: boolean; readonly paths: readonly string[]; readonly next: string }> {
  const { dynamic_filtered_mounts: mounts, dynamic_filtered_namespaces: namespaces } = await filteredBy(center, view)
  const all = [...mounts.map((path) => MOUNT_LETTER + path), ...namespaces.map((path) => NAMESPACE_LETTER + path)]
  const paths: string[] = []
  let characters = 0
  for (const one of all) {
    if (one <= after) continue
    characters += one.length
    if (characters > PAGE_CHARACTERS) return { filtered: view.isPartial, paths, next: paths.at(-1) ?? '' }
    paths.push(one)
  }
  return { filtered: view.isPartial, paths, next: '' }
}

export const MOUNT_LETTER = 'm'

export const NAMESPACE_LETTER = 'n'
