/** Removes mounts and the leases below them. */
import type { Engine } from '../../contract/engine.ts'
import { SECRET_CHANGES } from '../../contract/live-secrets.ts'
import { type MountRecord, mountKind } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { schedulePurge } from '../../mount/purge.ts'
import { dropMount, putMount } from '../../mount/stored-mount.ts'
import { scheduleCutoff } from './clear-cutoff.ts'
import { addCutoff } from './cutoff.ts'
import { MOUNT_ITEM } from './end-lease.ts'
import { LEASE_RECORD } from './lease.ts'

/**
 * Removes a mount. From this commit on, the mount has no path and cannot be written. Background work deletes its records: immediately if
 * the engine has no leases, otherwise after the engine has revoked the last lease. Until then the mount's record remains, but its path can
 * be used for another mount.
 */
export function retireMount(tx: Tx, record: MountRecord, engine: Engine): void {
  // Read the stored record, because `synced` may have been set after `record` was cached.
  if (engine.secrets && tx.get(mountKind(record), record.uuid)?.synced) SECRET_CHANGES.find(tx)?.onUnmount(tx, record)
  dropMount(tx, record)
  endBelow(tx, record, engine)
  if (!engine.leases) {
    schedulePurge(tx, record.uuid)
    return
  }
  putMount(tx, { ...record, ending: true })
  tx.due('lease', MOUNT_ITEM + record.uuid, { to: tx.now })
}

/** Ends all leases below a mount's path, including the leases of tokens. */
export function endBelow(tx: Tx, { namespace, path }: MountRecord, engine: Engine): void {
  const nothing = tx.listAbandoned(LEASE_RECORD, `${namespace}/${path}`, 1).length === 0
  // If the engine has leases, a concurrent request may commit a lease after this list was read, so add the cutoff even if the list is empty.
  // Tokens that are created concurrently need no cutoff: they are valid until they expire.
  if (nothing && !engine.leases) return
  scheduleCutoff(tx, addCutoff(tx, { namespace, prefix: path.slice(0, -1), force: false, delay: 0 }))
}
