import { storeProgress } from './follow/apply-records.ts'
import { containerRecordsOf } from './follow/container-records.ts'
import { courseFor } from './follow/primary-state.ts'
import type { ReplicationRules } from './replication-context.ts'
import { planTakeOver } from './roles/plan-take-over.ts'
import { stepDownIfSuperseded } from './roles/step-down-if-superseded.ts'
import { handlersOf } from './serve/handlers.ts'
import { provenEpoch } from './serve/proven-epoch.ts'

/** The rules that all kernels use, except in simulations. */
export const REPLICATION_RULES: ReplicationRules = {
  courseFor,
  storeProgress,
  containerRecordsOf,
  planTakeOver,
  provenEpoch,
  stepDownIfSuperseded,
  handlersOf,
}
