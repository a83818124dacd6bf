import type { noteFollowing } from './apply.ts'
import type { placesOf } from './remove-parts.ts'
import type { courseFor } from './standing.ts'

/** The rules by which a secondary follows its primary. */
export interface FollowRules {
  /** Decides how a secondary continues after the primary has answered its greeting. */
  readonly courseFor: typeof courseFor
  /** Stores the progress of a secondary. */
  readonly noteFollowing: typeof noteFollowing
  /** The mount and namespace records to remove before the data below them. */
  readonly placesOf: typeof placesOf
}
