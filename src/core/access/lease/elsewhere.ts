/**
 * Leases of a shared mount that other clusters hold.
 */
import { Part } from '../../contract/part.ts'

export interface LeasesElsewhere {
  /** Whether the records of mounts are another cluster's to remove. */
  readonly follows: () => boolean
  /**
   * The clusters that may still have leases below a mount that is to go: those that say so, and those that have not heard of it.
   * @param mount UUID.
   */
  readonly holders: (mount: string) => Promise<readonly string[]>
}

/** Of a kernel that takes part in replication. */
export const LEASES_ELSEWHERE = /* @__PURE__ */ new Part<LeasesElsewhere>()
