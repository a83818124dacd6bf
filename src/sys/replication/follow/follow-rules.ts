import type { storeProgress } from './apply-records.ts'
import type { containerRecordsOf } from './container-records.ts'
import type { courseFor } from './primary-state.ts'

/** The decisions of a secondary that follows its primary. Simulations replace them, to check that a wrong rule is noticed. */
export interface FollowRules {
  /** Decides how a secondary continues after the primary has answered its hello. */
  readonly courseFor: typeof courseFor
  /** Stores the progress of a secondary. */
  readonly storeProgress: typeof storeProgress
  /** Returns the mount and namespace records to delete before the data of the mounts and namespaces is deleted. */
  readonly containerRecordsOf: typeof containerRecordsOf
}
