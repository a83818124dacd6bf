/**
 * Revokes leases while the caller waits. Each lease is revoked in a commit of its own. If an engine fails, its lease stays invalid and the
 * caller gets the error.
 */
import { KernelError } from '../../base/errors.ts'
import type { Call, Tx } from '../../contract/tx.ts'
import type { Host } from '../../transaction/host.ts'
import type { Keyspace } from '../../transaction/keyspace.ts'
import { transactAndEnd } from '../../transaction/transact.ts'
import { revokeStoredToken } from '../token/revoke.ts'
import { clearCutoff, scheduleCutoff } from './clear-cutoff.ts'
import { addCutoff } from './cutoff.ts'
import { endLease } from './end-lease.ts'
import { issueLease, previewLease } from './issue.ts'
import { endedLease, isTokenLease, LEASE_RECORD } from './lease.ts'
import type { LeaseService, RevocationOptions } from './lease-service.ts'
import { revokeStoredLease } from './revoke-lease.ts'

/** If the process stops during the request, a tick continues the work after this many milliseconds. */
const REQUEST_MS = 60_000

export class LeaseRunner implements LeaseService {
  readonly issue = issueLease
  readonly preview = previewLease
  readonly #host: Host
  readonly #call: Call

  /** @param call A trusted call that the kernel makes. */
  constructor(host: Host, call: Call) {
    this.#host = host
    this.#call = call
  }

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
