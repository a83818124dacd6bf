/**
 * Revokes leases for a waiting caller, in separate commits, so that a lease stays refused when its engine fails and the request reports
 * it.
 */
import { KernelError } from '../../base/errors.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import type { Call, Tx } from '../../contract/tx.ts'
import type { Host } from '../../transaction/host.ts'
import type { Place } from '../../transaction/place.ts'
import { conclude } from '../../transaction/transact.ts'
import { revokeStoredToken } from '../token/revoke.ts'
import { clearCutoff, scheduleCutoff } from './clear-cutoff.ts'
import { addCutoff } from './cutoff.ts'
import { endLease } from './end-lease.ts'
import { endedLease, isTokenLease, LEASE } from './lease.ts'
import { revokeStoredLease } from './revoke-lease.ts'

export interface RevocationOptions {
  /** Waits for the engine. Otherwise background work revokes, and only the refusal is immediate. */
  readonly sync: boolean
  /** Removes leases even where their engine fails. */
  readonly force: boolean
}

/** If the process of a request dies, tick continues its work after this time. */
const REQUEST_MS = 60_000

/** Who revokes leases in the kernel that an operation runs in. */
export const LEASES = /* @__PURE__ */ new KernelService<LeaseRunner>()

export class LeaseRunner {
  readonly #host: Host
  readonly #call: Call

  /** @param call The kernel's own call. */
  constructor(host: Host, call: Call) {
    this.#host = host
    this.#call = call
  }

  /**
   * Ends a lease; for a token's lease, the token with all it made. Does nothing where there is none.
   * @param place The kernel's own records, in the namespace of the lease.
   * @throws KernelError The engine's error: the lease is refused all the same, and revocation is retried.
   */
  async revoke(place: Place, key: string, { sync, force }: RevocationOptions): Promise<void> {
    const failure = await this.#write(place, (tx) => {
      const lease = tx.get(LEASE, key)
      if (!lease) return undefined
      if (isTokenLease(lease)) revokeStoredToken(tx, lease.token)
      else if (!sync) endLease(tx, key, force)
      else return revokeStoredLease(tx, key, endedLease(lease, lease.due, force))
      return undefined
    })
    if (failure) throw failure
  }

  /**
   * Ends all leases at or below a path: all are refused from the first commit on, whatever their number.
   * @throws KernelError 502 where engines failed: those leases are refused all the same, and revocation is retried.
   */
  async revokePrefix(place: Place, namespace: string, prefix: string, { sync, force }: RevocationOptions): Promise<void> {
    const ending = await this.#write(place, (tx) => {
      const begun = addCutoff(tx, { namespace, prefix, force, delay: sync ? REQUEST_MS : 0 })
      scheduleCutoff(tx, begun)
      return begun
    })
    let failures = 0
    for (let done = !sync; !done; ) {
      this.#host.env.closing.throwIfAborted()
      const step = await this.#write(place, (tx) => clearCutoff(tx, ending.number))
      const outcomes = await Promise.allSettled(step.ended.map((key) => this.revoke(place, key, { sync, force })))
      failures += outcomes.filter(({ status }) => status === 'rejected').length
      done = step.done
      // A memory storage answers at once, so ending thousands of leases would block the event loop.
      if (!done) await this.#host.clock.sleep(0)
    }
    if (failures > 0)
      throw new KernelError(
        'ERR_UPSTREAM',
        `${failures} of the leases could not be revoked yet: they are refused, and tried again in the background`,
      )
  }

  async #write<T>(place: Place, body: (tx: Tx) => T): Promise<T> {
    return (await conclude(this.#host, place, this.#call, 'write', body)).value
  }
}
