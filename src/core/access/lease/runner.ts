/**
 * Revokes leases while the caller waits. Each lease is revoked in a commit of its own. If an engine fails, its lease stays invalid and the
 * caller gets the error.
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
  /**
   * Whether to wait until the engine has revoked the lease. Otherwise the call only makes the lease invalid, and background work revokes
   * it.
   */
  readonly sync: boolean
  /** Whether to remove leases even if their engine fails. */
  readonly force: boolean
}

/** If the process stops during the request, a tick continues the work after this many milliseconds. */
const REQUEST_MS = 60_000

/** Revokes leases in the current kernel. */
export const LEASES = /* @__PURE__ */ new KernelService<LeaseRunner>()

export class LeaseRunner {
  readonly #host: Host
  readonly #call: Call

  /** @param call A trusted call that the kernel makes. */
  constructor(host: Host, call: Call) {
    this.#host = host
    this.#call = call
  }

  /**
   * Revokes a lease. If it is the lease of a token, revokes the token and all its descendants. Does nothing if the lease does not exist.
   * @param place The keyspace of the kernel's own records.
   * @throws KernelError The engine's error. Even then the lease is invalid, and revocation will be retried.
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
   * Revokes all leases at or below a path. All of them are invalid from the first commit on, whatever their number.
   * @throws KernelError 502 if an engine failed to revoke some of the leases. Even then these leases are invalid, and revocation will be
   * retried.
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
      // Pause, because memory storage answers synchronously: revoking thousands of leases would block the event loop.
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
