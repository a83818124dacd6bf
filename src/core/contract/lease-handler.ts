import { KernelError } from '../base/errors.ts'
import type { EngineLease, LeaseTerms } from './lease-terms.ts'
import type { Tx } from './tx.ts'

/**
 * Thrown by `revoke` if the failure is not the lease's fault: for example the outside system limits requests, or was not called at all. The
 * lease stays invalid, no attempt is counted, and revocation is tried again after the given time.
 */
export class RevokeLater extends KernelError {
  /** Milliseconds until the next try. */
  readonly after: number

  constructor(after: number, message: string, cause?: unknown) {
    super('ERR_UPSTREAM', message, { cause })
    this.after = after
  }
}

/**
 * How an engine renews and revokes its leases, in the commit that does so. The methods are synchronous and may run again like every
 * operation, so outside calls go through `tx.once`. `tx.call` is a trusted call on the engine's mount, which may be about to be removed.
 */
export interface LeaseHandler {
  /**
   * @param increment The requested seconds; 0 if none were requested.
   * @returns The new terms if they changed, otherwise undefined. `renewedTtl` computes the resulting TTL.
   */
  renew(tx: Tx, lease: EngineLease, increment: number): LeaseTerms | undefined
  /**
   * If it throws, the error is stored with the lease, which stays invalid, and revocation is tried again later. The message of a
   * `KernelError` is shown to users. Errors for a missing path or operation (404, 405) are final, and {@link RevokeLater} counts as no
   * attempt. Must be idempotent.
   */
  revoke(tx: Tx, lease: EngineLease): void
}
