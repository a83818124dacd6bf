/**
 * What an engine does for its leases.
 */
import { KernelError } from '../base/errors.ts'
import type { EngineLease, LeaseTerms } from './lease-terms.ts'
import type { Tx } from './tx.ts'

/**
 * Thrown by `revoke` where it is not the lease that stands in the way: whoever was asked wants fewer requests, or was not asked at all. The
 * lease stays refused, no attempt is counted, and it is tried again after that time.
 */
export class RevokeLater extends KernelError {
  /** Milliseconds. */
  readonly after: number

  constructor(after: number, message: string, cause?: unknown) {
    super('ERR_UPSTREAM', message, { cause })
    this.after = after
  }
}

/**
 * What an engine does for its leases, in the commit that renews or ends them. The methods are synchronous and may run again like every
 * operation: calls outside go through `tx.once`. `tx.call` is the kernel's own, on the engine's mount, which may be about to be removed.
 */
export interface LeaseHandler {
  /**
   * @param increment Seconds asked for; 0 where none were.
   * @returns The present terms, where they have changed. `renewedTtl` tells the resulting TTL.
   */
  renew(tx: Tx, lease: EngineLease, increment: number): LeaseTerms | undefined
  /**
   * An error is kept with the lease, which stays refused, and the revocation is tried again later. A `KernelError` is shown to users;
   * one that says that there is no such path or operation (404, 405) counts as final, and {@link RevokeLater} as no attempt. Revoking twice
   * is no error.
   */
  revoke(tx: Tx, lease: EngineLease): void
}
