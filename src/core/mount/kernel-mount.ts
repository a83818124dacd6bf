import type { MountRecord } from '../contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'

/**
 * The mount for calls that the kernel itself makes. It also answers `sys/` while a cluster that is becoming a secondary has no mount
 * records yet.
 */
export const KERNEL_MOUNT: MountRecord = {
  uuid: 'core',
  type: 'system',
  path: 'sys/',
  accessor: '',
  namespace: ROOT_NAMESPACE.uuid,
  description: '',
  local: false,
  seal_wrap: false,
  options: null,
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
}

/** Whether the record is that of `sys/` in the root namespace. */
export const isRootSystem = ({ namespace, path }: MountRecord): boolean =>
  namespace === KERNEL_MOUNT.namespace && path === KERNEL_MOUNT.path
