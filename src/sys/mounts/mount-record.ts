/** Looks up, stores and shows mounts, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import type { MountConfig, MountRecord } from '../../core/contract/mount-record.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { GuardedTables } from '../../core/mount/guarded-tables.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { putMount } from '../../core/mount/stored-mount.ts'

/** The maximum length of a record in characters. All mounts are kept in memory, and one response lists all of them. */
const MAX_RECORD_CHARACTERS = 65_536

/** A mount in a response. */
export type MountInfo = Omit<MountRecord, 'path' | 'namespace'>

export const MOUNT_RESULT = {
  type: f.text('The engine type in the request that created the mount.'),
  description: f.text('For people.'),
  accessor: f.text('The accessor. It does not change when the mount is moved.'),
  uuid: f.text('The UUID under which the records of the mount are stored.'),
  config: f.json<MountConfig>('The settings. A lease TTL of 0 means 768 hours.'),
  options: f.json<Readonly<Record<string, string>> | null>(
    'Options of the engine, such as its version. Null for the mounts that every namespace has from the start.',
  ),
  local: f.bool('Whether the mount exists on this cluster only.'),
  seal_wrap: f.bool('The value in the request that created the mount.'),
}

export function showMount({ type, description, accessor, uuid, config, options, local, seal_wrap }: MountRecord): MountInfo {
  return { type, description, accessor, uuid, config, options, local, seal_wrap }
}

/**
 * The build type of the plugin in Vault. Clients that validate responses against a schema refuse records without it; nothing else reads it.
 */
const BUILT_IN = {
  external_entropy_access: false,
  plugin_version: '',
  running_plugin_version: '',
  running_sha256: '',
  deprecation_status: 'supported',
}

/** A mount in responses to calls by path. */
export const mountOnWire = (info: MountInfo): MountInfo & typeof BUILT_IN => ({ ...info, ...BUILT_IN })

/** The mount with exactly this path. */
export function mountAt({ mounts }: Pick<GuardedTables, 'mounts'>, namespace: NamespaceRecord, path: string): Mount | undefined {
  const mount = mounts.route(namespace, path.slice(0, -1))
  return mount?.record.path === path ? mount : undefined
}

/** The members of a mount in events. */
export const mountEvent = ({ path, type, accessor }: MountRecord) => ({ path, mount_type: type, accessor })

/** @throws KernelError 400 for an oversized record. */
export function storeMount(tx: Tx, record: MountRecord): void {
  if (JSON.stringify(record).length > MAX_RECORD_CHARACTERS)
    throw invalid(`description, options and settings: must have at most ${MAX_RECORD_CHARACTERS} characters together`)
  putMount(tx, record)
}
