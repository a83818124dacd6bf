import { notFound } from '../../core/base/errors.ts'
import type { LeaseHandler } from '../../core/contract/lease-handler.ts'
import { type EngineLease, leaseTtl } from '../../core/contract/lease-terms.ts'
import { effectiveTtl } from '../../core/contract/mount-record.ts'
import { callDatabaseInTransaction } from './database-calls.ts'
import { DATABASE_ROLE } from './records.ts'
import { EXPIRATION_GRACE_MS } from './role/creds.ts'

interface DatabaseLeaseData {
  readonly username: string
  readonly role: string
  readonly db_name: string
  readonly revocation_statements: readonly string[]
}

const dataOf = ({ data }: EngineLease): DatabaseLeaseData => data as unknown as DatabaseLeaseData

export const DATABASE_LEASES: LeaseHandler = {
  renew(tx, lease, increment) {
    const { username, role: name } = dataOf(lease)
    const role = tx.get(DATABASE_ROLE, name)
    if (!role) throw notFound(`the role ${name} was deleted, so its leases cannot be renewed`, 400)
    const terms = { ttl: role.default_ttl, max_ttl: role.max_ttl }
    const { issued } = lease
    const { ttl } = leaseTtl({ increment, terms, issued, now: tx.now, until: null, mount: effectiveTtl(tx.call.mount) })
    const expiration = tx.now + ttl * 1000 + EXPIRATION_GRACE_MS
    callDatabaseInTransaction(tx, `renew ${lease.id}`, role.db_name, (connection, signal) =>
      connection.updateUser({ username, expiration, statements: role.renew_statements }, signal),
    )
    return terms
  },

  /** Uses the current connection and statements of the role. If the role was deleted, uses the ones that are stored in the lease. */
  revoke(tx, lease) {
    const data = dataOf(lease)
    const { username } = data
    const { db_name, revocation_statements: statements } = tx.get(DATABASE_ROLE, data.role) ?? data
    callDatabaseInTransaction(tx, `revoke ${lease.id}`, db_name, (connection, signal) =>
      connection.deleteUser({ username, statements }, signal),
    )
  },
}
