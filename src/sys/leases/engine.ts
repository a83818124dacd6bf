import { runLeaseWork } from '../../core/access/lease/jobs.ts'
import { LEASES } from '../../core/access/lease/lease-service.ts'
import { LeaseRunner } from '../../core/access/lease/runner.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import type { Leases } from './generated/api.ts'
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
const leasePathOperations = {
  renewByPath,
  revokeByPath,
  renewOld,
  renewOldByPath,
  revokeOld,
  revokeOldByPath,
  revokePrefixOld,
  forceRevokePrefixOld,
}

export type { Leases }

/** The facades of kernels with leases. */
export interface LeasesFacades {
  /** Leases of secrets and of tokens. */
  readonly leases: Leases
}

const PART = engineValue<LeasesFacades>({
  part: 'leases',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...leaseOperations, ...leasePathOperations },
  due: { lease: runLeaseWork },
  attach: ({ host, call }: KernelInternals) => LEASES.install(host.env, new LeaseRunner(host, call)),
  facades: { leases: { path: 'sys/', operations: leaseOperations } },
})

/** Leases of secrets and of tokens: `sys/leases`, and the facade `kernel.leases`. */
export const leases = (): EngineValue<LeasesFacades> => PART
