/**
 * Mounts and the leases below them.
 */
import type { Engine } from '../../contract/engine.ts'
import { MOUNT, type MountRecord } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { schedulePurge } from '../../mount/purge.ts'
import { scheduleEnding } from './clear-ending.ts'
import { MOUNT_ITEM } from './end-lease.ts'
import { beginEnding } from './ending.ts'
import { LEASE } from './lease.ts'

/**
 * From this commit on nothing leads to the mount and nothing can be written to it. What it kept is cleared away in the background: at once,
 * or when its engine has revoked the last lease; until then its record stays, and its path is free all the same.
 */
export function retireMount(tx: Tx, record: MountRecord, engine: Engine): void {
  // Deleted first: that changes the guard of all mounts, so that whoever decides about a path at this moment decides anew.
  tx.delete(MOUNT, record.uuid)
  endBelow(tx, record, engine)
  if (!engine.leases) {
    schedulePurge(tx, record.uuid)
    return
  }
  tx.put(MOUNT, record.uuid, { ...record, ending: true })
  tx.due('lease', MOUNT_ITEM + record.uuid, { to: tx.now })
}

/** Ends all leases below a mount's path, tokens included. */
export function endBelow(tx: Tx, { namespace, path }: MountRecord, engine: Engine): void {
  const nothing = tx.leftovers(LEASE, `${namespace}/${path}`, 1).length === 0
  // Where its engine leases, what another commit adds at this moment must not be missed; tokens of a moment later live until they end.
  if (nothing && !engine.leases) return
  scheduleEnding(tx, beginEnding(tx, { namespace, prefix: path.slice(0, -1), force: false, delay: 0 }))
}
