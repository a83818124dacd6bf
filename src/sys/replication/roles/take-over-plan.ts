import type { SetMembership } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'

/** The state that a promoted cluster takes over from its former primary. */
export interface TakeOverPlan {
  /** The new role in the set; undefined if the role does not change. */
  readonly part: SetMembership | undefined
  readonly ops: readonly Op[]
}
