import type { PartInSet } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'

/** What a cluster takes over from the primary that it stood by for. */
export interface TakenOver {
  /** Undefined if it stays what it is. */
  readonly part: PartInSet | undefined
  readonly ops: readonly Op[]
}
