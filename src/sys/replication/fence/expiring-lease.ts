/** Takes over the write lease of a primary that does not answer. */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { FenceLease, HolderPosition } from './fence-lease.ts'
import { type FenceRecord, TAKEOVER_WAIT_MS } from './fence-record.ts'
import type { RegisterValue } from './fence-register.ts'

/**
 * Returns the primary's record in the fence register; undefined if the primary wrote none in its current epoch.
 * @throws KernelError 400 if the register shows a newer epoch; 503 if the register cannot be read.
 */
async function readCurrentLease(
  lease: FenceLease,
  { set, history }: Relation,
): Promise<(RegisterValue & { readonly record: FenceRecord }) | undefined> {
  const current = await lease.registerOf(set).read()
  if (!current?.record) return undefined
  const { text, record } = current
  const { epoch } = lastOf(history)
  if (record.epoch > epoch) throw conflict('a newer primary has been promoted or is being promoted: follow it, or use force')
  return record.epoch === epoch ? { text, record } : undefined
}

/** A write lease of the primary, and the time when it expires. */
export interface ExpiringLease extends RegisterValue {
  readonly record: FenceRecord
  /** Resolves after the maximum duration of a lease. The lease has then expired, unless a kernel has renewed it meanwhile. */
  readonly expired: Promise<void>
}

/**
 * Reads the primary's record in the fence register, and starts to wait until the write lease in the record expires.
 *
 * If the record is unchanged after the wait, the lease has expired: a kernel starts its lease before it writes the record, and a renewal
 * would have replaced the record.
 *
 * @param signal Cancels the wait.
 * @throws KernelError 400 if the register shows a newer epoch; 503 if the register cannot be read.
 */
export async function watchExpiringLease(
  { host }: ReplicationContext,
  lease: FenceLease,
  relation: Relation,
  signal: AbortSignal,
): Promise<ExpiringLease | undefined> {
  const current = await readCurrentLease(lease, relation)
  if (!current) return undefined
  // The wait uses a timer, so that a change of the system clock does not shorten the wait.
  const expired = current.record.released ? Promise.resolve() : host.clock.sleep(TAKEOVER_WAIT_MS, signal)
  expired.catch(() => {})
  return { ...current, expired }
}

/**
 * Waits until the lease has expired, and then replaces the primary's fence record with one of this cluster.
 *
 * @throws KernelError 400 if the primary has renewed its lease; 503 if the kernel closes or the register cannot be written.
 */
export async function takeExpiredLease(
  lease: FenceLease,
  { text, record, expired }: ExpiringLease,
  { set, place }: { readonly set: string; readonly place: HolderPosition },
): Promise<void> {
  await expired.catch((cause: unknown) => {
    throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closing', { cause })
  })
  if (!(await lease.takeOver(set, place, { text, record })))
    throw conflict('the primary has renewed its write lease, so it is alive: demote it first, or use force')
}
