/**
 * Revokes leases for a waiting caller. Each lease has its own commit, so that a lease stays invalid if its engine fails and the caller gets
 * the error.
 */
import { KernelError } from '../../base/errors.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import type { Call, Tx } from '../../contract/tx.ts'
import type { Host } from '../../transaction/host.ts'
import type { Keyspace } from '../../transaction/keyspace.ts'
import { transactAndEnd } from '../../transaction/transact.ts'
import { revokeStoredToken } from '../token/revoke.ts'
import { clearCutoff, scheduleCutoff } from './clear-cutoff.ts'
import { addCutoff } from './cutoff.ts'
import { endLease } from './end-lease.ts'
import { endedLease, isTokenLease, LEASE_RECORD } from './lease.ts'
import { revokeStoredLease } from './revoke-lease.ts'

export interface RevocationOptions {
  /** Whether to wait for the engine. Otherwise the lease only becomes invalid, and background work revokes it. */
  readonly sync: boolean
  /** Whether to remove leases even if their engine fails. */
  readonly force: boolean
}

/** If the process stops during the request, a tick continues the work after this time. */
const REQUEST_MS = 60_000

/** Revokes leases in the kernel that an operation runs in. */
export const LEASES = /* @__PURE__ */ new KernelService<LeaseRunner>()

export class LeaseRunner {
  readonly #host: Host
  readonly #call: Call

  /** @param call A trusted call of the kernel itself. */
  constructor(host: Host, call: Call) {
    this.#host = host
    this.#call = call
  }

  /**
   * Revokes a lease. For a token's lease, revokes the token and all its descendants. Does nothing if it does not exist.
   * @param place The keyspace of the kernel's own records.
   * @throws KernelError The engine's error. The lease is invalid nevertheless, and revocation will be retried.
   */
  async revoke(place: Keyspace, key: string, { sync, force }: RevocationOptions): Promise<void> {
    const failure = await this.#write(place, (tx) => {
      const lease = tx.get(LEASE_RECORD, key)
      if (!lease) return undefined
      if (isTokenLease(lease)) revokeStoredToken(tx, lease.token)
      else if (!sync) endLease(tx, key, force)
      else return revokeStoredLease(tx, key, endedLease(lease, lease.due, force))
      return undefined
    })
    if (failure) throw failure
  }

  /**
   * Revokes all leases at or below a path. They are all invalid from the first commit on, whatever their number.
   * @throws KernelError 502 if engines failed. Those leases are invalid nevertheless, and revocation will be retried.
   */
  async revokePrefix(place: Keyspace, namespace: string, prefix: string, { sync, force }: RevocationOptions): Promise<void> {
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
      // Memory storage answers synchronously, so thousands of leases would block the event loop.
      if (!done) await this.#host.clock.sleep(0)
    }
    if (failures > 0)
      throw new KernelError(
        'ERR_UPSTREAM',
        `${failures} leases could not be revoked yet; they are already invalid, and revocation will be retried in the background`,
      )
  }

  async #write<T>(place: Keyspace, body: (tx: Tx) => T): Promise<T> {
    return (await transactAndEnd(this.#host, place, this.#call, 'write', body)).value
  }
}
