/**
 * Leases of a shared mount that other clusters hold.
 */
import { KernelService } from '../../contract/kernel-service.ts'

export interface OtherClusterLeases {
  /** Whether the records of mounts are another cluster's to remove. */
  readonly follows: () => boolean
  /**
   * The clusters that may still have leases below a mount that is to go: those that say so, and those that have not heard of it.
   * @param mount UUID.
   */
  readonly holders: (mount: string) => Promise<readonly string[]>
}

/** Of a kernel that takes part in replication. */
export const OTHER_CLUSTER_LEASES = /* @__PURE__ */ new KernelService<OtherClusterLeases>()
