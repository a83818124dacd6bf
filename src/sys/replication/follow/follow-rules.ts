import type { storeProgress } from './apply-records.ts'
import type { containerRecordsOf } from './container-records.ts'
import type { courseFor } from './primary-state.ts'

/** The rules by which a secondary follows its primary. */
export interface FollowRules {
  /** Decides how a secondary continues after the primary has answered its hello. */
  readonly courseFor: typeof courseFor
  /** Stores the progress of a secondary. */
  readonly storeProgress: typeof storeProgress
  /** The mount and namespace records to remove before the data below them. */
  readonly containerRecordsOf: typeof containerRecordsOf
}
