import { countLeases, listIrrevocable } from './irrevocable.ts'
import { listLeases, lookupLease } from './lookup-lease.ts'
import { renewByPath, renewLease, renewOld, renewOldByPath } from './renew-lease.ts'
import { revokeByPath, revokeLease, revokeOld, revokeOldByPath } from './revoke-lease.ts'
import { forceRevokePrefix, forceRevokePrefixOld, revokePrefix, revokePrefixOld } from './revoke-prefix.ts'
import { tidyLeases } from './tidy-leases.ts'

export const leaseOperations = {
  lookupLease,
  listLeases,
  renewLease,
  revokeLease,
  revokePrefix,
  forceRevokePrefix,
  tidyLeases,
  countLeases,
  listIrrevocable,
}

/** The lease operations again, under the alternative paths that some clients use. */
export const leasePathOperations = {
  renewByPath,
  revokeByPath,
  renewOld,
  renewOldByPath,
  revokeOld,
  revokeOldByPath,
  revokePrefixOld,
  forceRevokePrefixOld,
}
