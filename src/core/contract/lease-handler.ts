import { KernelError } from '../base/errors.ts'
import type { EngineLease, LeaseTerms } from './lease-terms.ts'
import type { Tx } from './tx.ts'

/**
 * Thrown by `revoke` if the failure is not specific to the lease: for example, the outside system limits requests or could not be called at
 * all. The lease remains invalid, the attempt is not counted, and revocation is retried after the given time.
 */
export class RevokeLater extends KernelError {
  /** Milliseconds until revocation is retried. */
  readonly after: number

  constructor(after: number, message: string, cause?: unknown) {
    super('ERR_UPSTREAM', message, { cause })
    this.after = after
  }
}

/**
 * How an engine renews and revokes its leases. The methods run in the commit that renews or revokes the lease. Like operations, they are
 * synchronous and may run several times, so they must make outside calls through `tx.once`. `tx.call` is a trusted call for the engine's
 * mount. That mount may be in the process of being removed.
 */
export interface LeaseHandler {
  /**
   * @param increment The requested TTL in seconds; 0 if the request does not specify a TTL.
   * @returns The new terms if they have changed, otherwise undefined. `renewedTtl` computes the resulting TTL.
   */
  renew(tx: Tx, lease: EngineLease, increment: number): LeaseTerms | undefined
  /**
   * Revokes a lease; must be idempotent. If it throws, the error is stored with the lease, which remains invalid, and revocation is retried
   * later. The message of a `KernelError` is shown to users. Errors for a missing path or operation (404, 405) are final. {@link
   * RevokeLater} is not counted as an attempt.
   */
  revoke(tx: Tx, lease: EngineLease): void
}
