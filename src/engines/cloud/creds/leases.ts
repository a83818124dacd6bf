/**
 * Renewing the leases of users, and taking the users away with them. What is temporary ends by itself.
 */
import type { LeaseHandler } from '../../../core/contract/lease-handler.ts'
import { leaseTermsOf } from '../config/lease.ts'
import { rootOf } from '../outside.ts'
import type { CredentialType } from '../records.ts'
import { removeInTurn } from './remove-user.ts'

/** What a lease knows of what it is for. */
export interface LeasedData {
  readonly credential_type: CredentialType
  readonly role: string
  /** Of a user. */
  readonly username?: string
}

export const LEASES: LeaseHandler = {
  /** The role need not be there any more. */
  renew: (tx) => leaseTermsOf(tx),

  revoke(tx, { id, data, issued: since }) {
    const { username: userName } = data as unknown as LeasedData
    if (userName === undefined) return
    const root = rootOf(tx)
    const { env } = tx
    const { mount, tick } = tx.call
    tx.once(`revoke ${id}`, () => removeInTurn({ env, mount: mount.uuid, root, tick, userName, since }))
  },
}
