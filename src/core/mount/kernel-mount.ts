import type { MountRecord } from '../contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'

/** The mount of the kernel's own calls. It also serves `sys/` while a cluster is joining as a secondary and has no mount records yet. */
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
