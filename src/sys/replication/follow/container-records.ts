/**
 * Removes mounts and namespaces that this cluster may no longer have. Their records are deleted before their data, so that requests are no
 * longer routed to them.
 */
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf, guardOf } from '../../../core/transaction/pending-writes.ts'
import { readEach } from '../../../core/transaction/read-each.ts'
import { sharedCountKey } from '../../../core/transaction/shared-count.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS } from '../filters/secondary-scopes.ts'
import { deleteBelow } from '../state/delete-below.ts'
import { namespaceOf } from '../state/domain.ts'
import { isBuiltInRootMount } from './exchange-mounts.ts'

export interface ContainerRecords {
  /** Keys of mount and namespace records, in the order in which they are deleted. */
  readonly keys: readonly string[]
  readonly mounts: readonly MountRecord[]
}

/**
 * Returns the stored mount and namespace records of these domains. The built-in mounts of the root namespace are not included, because one
 * commit replaces them with those of the primary.
 */
export async function containerRecordsOf({ store }: Host, domains: readonly string[]): Promise<ContainerRecords> {
  const namespaces = domains.flatMap((domain) => namespaceOf(domain) ?? []).map((uuid) => NAMESPACE_KEYS + uuid)
  const versions = await store.versions(namespaces)
  const stored = domains.map((domain) => MOUNT_KEYS + domain)
  const damaged: string[] = []
  // A mount record that cannot be read is also deleted.
  const goes = (key: string): boolean => damaged.push(key) > 0
  const found = await store.getMany(stored).catch((error: unknown) => readEach(store, stored, error, goes))
  const mounts = found
    .flatMap((entry) => (entry ? [decodeRecord(MOUNT, entry.value)] : []))
    .filter((mount) => !isBuiltInRootMount(mount))
  const present = namespaces.filter((_, at) => versions[at] !== 0)
  return { keys: [...present, ...damaged, ...mounts.map(({ uuid }) => MOUNT_KEYS + uuid)], mounts }
}

/** Matches the folders of mounts. Folders of the kernel itself have names that are not UUIDs. */
const UUID = /^[0-9a-f-]{36}$/

/**
 * Removes folder guards of mounts that no longer exist. The deletion of guards is not replicated, so after a DR takeover this cluster may
 * have guards of mounts that its former primary removed. Returns false after a conflict.
 */
export async function clearStrayGuards(host: Host, fences: readonly Fence[]): Promise<boolean> {
  const folders = await host.store.list(guardOf('r/', ''), { delimiter: '/' })
  const places = folders.map((folder) => folder.slice(0, -1)).filter((place) => UUID.test(place))
  const versions = await host.store.versions(places.map((place) => MOUNT_KEYS + place))
  for (const [at, place] of places.entries())
    if (versions[at] === 0 && !(await deleteBelow(host, guardOf(`r/${place}/`, ''), { also: checksOf(fences) }))) return false
  return true
}

/**
 * Removes this cluster's local records of a mount. The record of the mount must have been deleted before, so that no more local records are
 * written. Returns false after a conflict.
 */
export async function clearLocalRecords(host: Host, { uuid }: MountRecord, fences: readonly Fence[]): Promise<boolean> {
  const own = [`l/${uuid}/`, `i/${uuid}/`, sharedCountKey(`r/${uuid}/`), guardOf(`r/${uuid}/`, ''), guardOf(`l/${uuid}/`, '')]
  for (const prefix of own) if (!(await deleteBelow(host, prefix, { also: checksOf(fences) }))) return false
  return true
}
