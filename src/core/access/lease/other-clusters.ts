/** Leases that other clusters have in a replicated mount. */
import { KernelService } from '../../contract/kernel-service.ts'

export interface OtherClusterLeases {
  /** Whether this cluster is a secondary, so that the primary removes the records of replicated mounts. */
  readonly follows: () => boolean
  /**
   * The clusters that may still have leases below a mount that is being removed: those that report leases, and those that do not know about
   * the removal yet.
   * @param mount The mount's UUID.
   */
  readonly holders: (mount: string) => Promise<readonly string[]>
}

/** The service exists only in kernels with replication. */
export const OTHER_CLUSTER_LEASES = /* @__PURE__ */ new KernelService<OtherClusterLeases>()
