/** Leases that other clusters have in a replicated mount. */
import { KernelService } from '../../contract/kernel-service.ts'

export interface OtherClusterLeases {
  /** Whether another cluster removes the mount records, because this one is a secondary. */
  readonly follows: () => boolean
  /**
   * The clusters that may still have leases below a mount that is being removed: those that report some, and those that have not heard of
   * the removal.
   * @param mount The mount's UUID.
   */
  readonly holders: (mount: string) => Promise<readonly string[]>
}

/** Present in kernels with replication. */
export const OTHER_CLUSTER_LEASES = /* @__PURE__ */ new KernelService<OtherClusterLeases>()
