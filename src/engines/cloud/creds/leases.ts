import type { LeaseHandler } from '../../../core/contract/lease-handler.ts'
import { requireRoot } from '../cloud-calls.ts'
import { leaseTermsOf } from '../config/lease.ts'
import type { CloudCredentialType } from '../records.ts'
import { removeUserThrottled } from './remove-user.ts'

/** The data of a lease. */
export interface CloudLeaseData {
  readonly credential_type: CloudCredentialType
  readonly role: string
  /** The name of the IAM user. Absent for temporary credentials, which expire without revocation. */
  readonly username?: string
}

export const CLOUD_LEASES: LeaseHandler = {
  /** Renew with the terms of `config/lease` and not with settings of the role, because the role may have been deleted. */
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
