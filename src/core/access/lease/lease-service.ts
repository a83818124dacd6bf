/** Leases as the kernel uses them. The implementation belongs to the part `leases()`, which a kernel can do without. */

import type { Environment } from '../../contract/environment.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import type { Leased, LeasePreview, LeaseRequest, LeaseTerms } from '../../contract/lease-terms.ts'
import type { Tx } from '../../contract/tx.ts'
import type { Keyspace } from '../../transaction/keyspace.ts'

export interface RevocationOptions {
  /**
   * Whether to wait until the engine has revoked the lease. Otherwise the call only makes the lease invalid, and background work revokes
   * it.
   */
  readonly sync: boolean
  /** Whether to remove leases even if their engine fails. */
  readonly force: boolean
}

export interface LeaseService {
  /** Creates a lease in the same commit as the operation that returns the secret. */
  issue(tx: Tx, wish: LeaseRequest): Leased
  /** Returns the TTL that {@link issue} would grant now, without creating a lease. Throws the same errors. */
  preview(tx: Tx, terms: LeaseTerms): LeasePreview
  /**
   * Revokes a lease. If it is the lease of a token, revokes the token and all its descendants. Does nothing if the lease does not exist.
   * @param place The keyspace of the kernel's own records.
   * @throws KernelError The engine's error. Even then the lease is invalid, and revocation will be retried.
   */
  revoke(place: Keyspace, key: string, options: RevocationOptions): Promise<void>
  /**
   * Revokes all leases at or below a path. All of them are invalid from the first commit on, whatever their number.
   * @throws KernelError 502 if an engine failed to revoke some of the leases. Even then these leases are invalid, and revocation will be
   * retried.
   */
  revokePrefix(place: Keyspace, namespace: string, prefix: string, options: RevocationOptions): Promise<void>
}

/** The leases of the current kernel. */
export const LEASES = /* @__PURE__ */ new KernelService<LeaseService>()

/** @throws TypeError if the kernel has no leases. Engines that need leases are refused when a kernel is created. */
export function leasesOf(at: { readonly env: Environment }): LeaseService {
  const leases = LEASES.find(at)
  if (!leases) throw new TypeError('the kernel has no leases: it needs the part leases() in the option sys of createKernel')
  return leases
}
