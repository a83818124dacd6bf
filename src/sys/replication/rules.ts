import type { ReplicationRules } from './center.ts'
import { noteFollowing } from './follow/apply.ts'
import { placesOf } from './follow/remove-parts.ts'
import { courseFor } from './follow/standing.ts'
import { fenced } from './roles/fenced.ts'
import { takenOver } from './roles/take-over.ts'
import { handlersOf } from './serve/handlers.ts'
import { provenEpoch } from './serve/proven-epoch.ts'

/** The rules of every kernel that the package makes. */
export const RULES: ReplicationRules = { courseFor, noteFollowing, placesOf, takenOver, provenEpoch, fenced, handlersOf }
