/**
 * What an engine does for its leases.
 */
import type { HeldLease, LeaseTerms } from './lease-terms.ts'
import type { Tx } from './tx.ts'

/**
 * What an engine does for its leases, in the commit that renews or ends them. Synchronous, and may run again like every operation: what is
 * outside goes through `tx.once`. `tx.call` is the kernel's own, on the engine's mount, which may be on its way out.
 */
export interface LeaseHandler {
  /**
   * @param increment Seconds asked for; 0 where nothing was.
   * @returns The terms as they are now, where they have changed since. What the renewal comes to tells `renewedTtl`.
   */
  renew(tx: Tx, lease: HeldLease, increment: number): LeaseTerms | undefined
  /**
   * What it throws is kept with the lease, which is refused all the same, and it is asked again later. A `KernelError` is told to users;
   * of one that says that there is no such thing (404, 405) nothing is expected any more. To revoke twice is no error.
   */
  revoke(tx: Tx, lease: HeldLease): void
}
