/** Revokes a lease. The engine's writes and the changes of the lease records are one commit. */
import { type ErrorCode, KernelError } from '../../base/errors.ts'
import type { EventPlace } from '../../contract/event.ts'
import { reportFailure } from '../../contract/failed-work.ts'
import { type LeaseHandler, RevokeLater } from '../../contract/lease-handler.ts'
import type { EngineLease } from '../../contract/lease-terms.ts'
import { type NamespaceRecord, namespaceSuffix } from '../../contract/namespace.ts'
import { isSignal } from '../../contract/signals.ts'
import type { Tx } from '../../contract/tx.ts'
import type { Mount } from '../../mount/mount.ts'
import { runInMount } from '../../mount/run-in-mount.ts'
import { storedMount } from '../../mount/stored-mount.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { transactionOf } from '../../transaction/transaction-of.ts'
import { LEASE_ITEM, removeLease, replaceLease } from './end-lease.ts'
import { failedLease, pathOf, postponedLease, type SecretLease } from './lease.ts'

/** Errors that no retry can fix. */
const FINAL: readonly ErrorCode[] = ['ERR_UNSUPPORTED_PATH', 'ERR_UNSUPPORTED_OPERATION']

/**
 * Calls the engine to revoke a lease, and removes the lease. If the engine fails, its writes are discarded, the lease stays invalid, and
 * another revocation is scheduled.
 * @returns The engine's error, if it failed.
 */
export function revokeStoredLease(tx: Tx, key: string, lease: SecretLease): KernelError | undefined {
  const mount = holderOf(tx, lease)
  try {
    if (mount)
      transactionOf(tx).attempt(() => callLeaseHandler(tx, mount, key, lease, ({ revoke }, at, held) => revoke(at, held)))
  } catch (thrown) {
    if (isSignal(thrown)) throw thrown
    if (!lease.force) {
      const error = errorOf(thrown)
      const random = (tx.env.entropy.bytes(1)[0] as number) / 256
      const how = { revokeErr: error.message, final: FINAL.includes(error.code) }
      const after =
        error instanceof RevokeLater ? postponedLease(lease, error, tx.now, random) : failedLease(lease, how, tx.now, random)
      replaceLease(tx, key, lease, after)
      reportFailure(
        tx,
        { lane: 'lease', id: LEASE_ITEM + key, error, attempt: after.attempts, due: after.due },
        placeOf(tx, key, lease).place,
      )
      if (after.state === 'irrevocable' && lease.state !== 'irrevocable') reportLease(tx, 'lease.irrevocable', key, lease)
      return error
    }
  }
  removeLease(tx, key, lease)
  // A lease that is due while its state is still `live` was not revoked; it has expired.
  reportLease(tx, lease.state === 'live' ? 'lease.expired' : 'lease.revoked', key, lease)
  return undefined
}

export function reportLease(
  tx: Tx,
  type: 'lease.issued' | 'lease.renewed' | 'lease.revoked' | 'lease.expired' | 'lease.irrevocable',
  key: string,
  lease: SecretLease,
): void {
  const { namespace, place } = placeOf(tx, key, lease)
  tx.event(type, { lease_id: namespace ? leaseId(key, namespace) : pathOf(key) }, place)
}

function placeOf(tx: Tx, key: string, { mount }: SecretLease): { namespace: NamespaceRecord | undefined; place: EventPlace } {
  const topology = TOPOLOGY.of(tx)
  const namespace = topology.namespaces.byUuid(key.slice(0, key.indexOf('/')))
  return { namespace, place: { namespace: namespace?.path ?? '', mount: topology.holder(mount)?.record.path ?? '' } }
}

/** Calls the lease handler of an engine with access to the mount's records, as part of this commit. */
export function callLeaseHandler<T>(
  tx: Tx,
  mount: Mount,
  key: string,
  { data, issued, expires }: SecretLease,
  ask: (handler: LeaseHandler, tx: Tx, held: EngineLease) => T,
): T {
  const handler = mount.engine.leases
  if (!handler) throw new KernelError('ERR_UNSUPPORTED_OPERATION', `${mount.record.type}: this engine does not revoke leases`)
  return runInMount(tx, mount, (at) => ask(handler, at, { id: leaseId(key, at.call.namespace), data, issued, expires }))
}

export const leaseId = (key: string, namespace: NamespaceRecord): string => pathOf(key) + namespaceSuffix(namespace)

/**
 * The mount that issued the secret, even while it is being removed. Undefined if the mount no longer exists; then there is nothing to
 * revoke.
 * @throws KernelError 503 if this process does not know the mount yet.
 */
function holderOf(tx: Tx, lease: SecretLease): Mount | undefined {
  const topology = TOPOLOGY.of(tx)
  const known = topology.holder(lease.mount)
  if (known || !storedMount(tx, lease.mount)) return known
  tx.once('topology', () => topology.reload(), 'attempt')
  const found = topology.holder(lease.mount)
  if (!found) throw new KernelError('ERR_UNAVAILABLE', 'this process does not know the mount of the lease yet; retry')
  return found
}

/** The message is stored and shown, so messages of errors that are not meant for users are replaced. */
function errorOf(thrown: unknown): KernelError {
  if (thrown instanceof KernelError) return thrown
  return new KernelError('ERR_UPSTREAM', 'the engine failed to revoke the lease', { cause: thrown })
}
