/**
 * Takes over the right to write from a primary that does not answer.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { FenceLease, HolderPosition } from './fence-lease.ts'
import { type FenceRecord, TAKEOVER_WAIT_MS } from './fence-record.ts'
import type { RegisterValue } from './fence-register.ts'

/** The term that the primary put there; undefined if it put none in its present epoch. @throws KernelError 400, 503. */
async function readCurrentLease(
  right: FenceLease,
  { set, history }: Relation,
): Promise<(RegisterValue & { readonly record: FenceRecord }) | undefined> {
  const found = await right.registerOf(set).read()
  if (!found?.record) return undefined
  const { text, record } = found
  const { epoch } = lastOf(history)
  if (record.epoch > epoch)
    throw conflict('a newer primary has been promoted since, or is being promoted: follow it, or use force')
  return record.epoch === epoch ? { text, record } : undefined
}

/** A term of the primary, and its end. */
export interface ExpiringLease extends RegisterValue {
  readonly record: FenceRecord
  /** Resolves when the right to write that the term stands for has expired, if nothing else replaced the term. */
  readonly expired: Promise<void>
}

/**
 * Reads the term of the primary and begins to wait for its end. A kernel that put the term there counts its right from before that, so the
 * right has expired by then; a kernel that renewed its right has put another term there.
 * @param signal Ends the wait.
 * @throws KernelError 400, 503.
 */
export async function watchExpiringLease(
  { host }: ReplicationContext,
  right: FenceLease,
  relation: Relation,
  signal: AbortSignal,
): Promise<ExpiringLease | undefined> {
  const found = await readCurrentLease(right, relation)
  if (!found) return undefined
  // A clock that jumps does not shorten the wait.
  const expired = found.record.released ? Promise.resolve() : host.clock.sleep(TAKEOVER_WAIT_MS, signal)
  expired.catch(() => {})
  return { ...found, expired }
}

/**
 * Waits until the term has expired, and puts this cluster in its place.
 * @throws KernelError 400 if the primary has renewed its right; 503.
 */
export async function takeExpiredLease(
  right: FenceLease,
  { text, record, expired }: ExpiringLease,
  { set, place }: { readonly set: string; readonly place: HolderPosition },
): Promise<void> {
  await expired.catch((cause: unknown) => {
    throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closing', { cause })
  })
  if (!(await right.takeOver(set, place, { text, record })))
    throw conflict('the primary renews its right to write, so it lives: demote it first, or use force')
}
