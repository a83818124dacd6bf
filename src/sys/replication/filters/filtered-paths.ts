/** The mounts and namespaces that a path filter currently hides from a secondary. */
import { Slices } from '../../../core/base/slices.ts'
import { isLocal } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { isBuiltInMount } from './filter-rules.ts'
import type { SecondaryScope } from './secondary-scopes.ts'

/** Full paths, in byte order. */
export interface FilteredPaths {
  readonly dynamic_filtered_mounts: readonly string[]
  readonly dynamic_filtered_namespaces: readonly string[]
}

const NAMESPACE_MICROSECONDS = 50

/**
 * Lists the mounts and namespaces outside the scope. Built-in mounts are not listed, because they are hidden together with their namespace.
 * Local mounts are not listed either, because they are not replicated.
 */
export async function listFilteredPaths({ internals, host }: ReplicationContext, scope: SecondaryScope): Promise<FilteredPaths> {
  const { rules } = scope
  if (!rules) return { dynamic_filtered_mounts: [], dynamic_filtered_namespaces: [] }
  const { namespaces, mounts } = internals.topology
  const slices = new Slices(host.clock)
  const outside: string[] = []
  const without: string[] = []
  for (const namespace of [ROOT_NAMESPACE, ...namespaces.below('')]) {
    const { path } = namespace
    if (!rules.includesNamespaceRecord(path)) outside.push(path)
    const own = mounts.of(namespace)
    for (const { record } of own)
      if (!isLocal(record) && !isBuiltInMount(record.path) && !rules.includesMount(path, record.path))
        without.push(path + record.path)
    if (slices.spend(NAMESPACE_MICROSECONDS + own.length)) await slices.giveWay()
  }
  return { dynamic_filtered_mounts: without.sort(), dynamic_filtered_namespaces: outside.sort() }
}

/** The length limit of one page, in characters. */
const MAX_PAGE_CHARACTERS = 1_048_576

/** Returns the page after the entry `after`. Each entry is a path with a prefix that says whether it is a mount or a namespace. */
export async function filteredPathsPage(
  context: ReplicationContext,
  scope: SecondaryScope,
  after: string,
): Promise<{ readonly filtered: boolean; readonly paths: readonly string[]; readonly next: string }> {
  const { dynamic_filtered_mounts: mounts, dynamic_filtered_namespaces: namespaces } = await listFilteredPaths(context, scope)
  const all = [...mounts.map((path) => MOUNT_PREFIX + path), ...namespaces.map((path) => NAMESPACE_PREFIX + path)]
  const paths: string[] = []
  let characters = 0
  for (const one of all) {
    if (one <= after) continue
    characters += one.length
    if (characters > MAX_PAGE_CHARACTERS) return { filtered: scope.isPartial, paths, next: paths.at(-1) ?? '' }
    paths.push(one)
  }
  return { filtered: scope.isPartial, paths, next: '' }
}

export const MOUNT_PREFIX = 'm'

export const NAMESPACE_PREFIX = 'n'
