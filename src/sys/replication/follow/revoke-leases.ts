/** Revokes the leases, including those of login tokens, that this cluster issued below a mount that a filter now hides. */
import { LEASE_RECORD } from '../../../core/access/lease/lease.ts'
import { leasesOf } from '../../../core/access/lease/lease-service.ts'
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { withFormat } from '../../../core/contract/record-kind.ts'
import type { KernelInternals } from '../../../core/kernel/assemble.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf, guardOf } from '../../../core/transaction/pending-writes.ts'
import { MOUNT_KEYS } from '../filters/secondary-scopes.ts'
import type { SetHost } from '../state/set-host.ts'
import { commitReplicated, guardOp } from './apply-records.ts'

/** The mount is removed after this time even if external systems have not revoked all leases. */
const MAX_REVOKE_MS = 30_000

/**
 * Revokes the leases of a mount, and waits until external systems have revoked them. Call it before the mount is removed: afterwards, the
 * external systems cannot be called any more. During the wait, the mount accepts no requests.
 */
export async function revokeLeasesOf(
  { topology }: KernelInternals,
  host: SetHost,
  mount: MountRecord,
  fence: Fence,
): Promise<void> {
  const { store, clock } = host
  const { namespace, path, uuid } = mount
  const place = topology.namespaces.byUuid(namespace)
  const leases = await store.list(coreRecordKey(LEASE_RECORD, `${namespace}/${path}`), { limit: 1 })
  if (leases.length === 0 || !place) return
  const hidden = withFormat(MOUNT.format, MOUNT.encode({ ...mount, ending: true }))
  const ops = [store.encryptedPut(MOUNT_KEYS + uuid, hidden, undefined), guardOp(host, guardOf(MOUNT_KEYS)), ...checksOf([fence])]
  await commitReplicated(host, ops, { upstream: undefined })
  const controller = new AbortController()
  const how = { sync: true, force: true }
  const revoked = leasesOf(host).revokePrefix(topology.coreKeyspace(place), namespace, path.slice(0, -1), how)
  // Continue after a failure or the timeout: when the mount is removed, its remaining leases become invalid on this cluster.
  await Promise.race([revoked, clock.sleep(MAX_REVOKE_MS, controller.signal)]).catch(() => {})
  controller.abort()
}
