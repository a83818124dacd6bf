/**
 * Renewing the leases of users, and taking the users away with them. What is temporary ends by itself.
 */
import type { LeaseHandler } from '../../../core/contract/lease-handler.ts'
import { requireRoot } from '../cloud-calls.ts'
import { leaseTermsOf } from '../config/lease.ts'
import type { CloudCredentialType } from '../records.ts'
import { removeUserThrottled } from './remove-user.ts'

/** What a lease knows of what it is for. */
export interface CloudLeaseData {
  readonly credential_type: CloudCredentialType
  readonly role: string
  /** Of a user. */
  readonly username?: string
}

export const CLOUD_LEASES: LeaseHandler = {
  /** The role need not be there any more. */
  renew: (tx) => leaseTermsOf(tx),

  revoke(tx, { id, data, issued: since }) {
    const { username: userName } = data as unknown as CloudLeaseData
    if (userName === undefined) return
    const root = requireRoot(tx)
    const { env } = tx
    const { mount, tick } = tx.call
    tx.once(`revoke ${id}`, () => removeUserThrottled({ env, mount: mount.uuid, root, tick, userName, since }))
  },
}
