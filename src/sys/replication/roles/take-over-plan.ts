import type { SetMembership } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'

/** The performance state that a promoted DR secondary takes over from its former primary. */
export interface TakeOverPlan {
  /** The new role in the performance set; undefined if the role does not change. */
  readonly part: SetMembership | undefined
  readonly ops: readonly Op[]
}
