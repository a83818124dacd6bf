import type { noteFollowing } from './apply.ts'
import type { placesOf } from './remove-parts.ts'
import type { courseFor } from './standing.ts'

/** The rules by which a secondary follows its primary. */
export interface FollowRules {
  /** What a secondary does after the primary has answered its greeting. */
  readonly courseFor: typeof courseFor
  /** Writes how far a secondary has come. */
  readonly noteFollowing: typeof noteFollowing
  /** The records that are removed before the data below them. */
  readonly placesOf: typeof placesOf
}
