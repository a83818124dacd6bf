/**
 * What a step from one format of the store to the next is made of.
 */
import type { Op } from '../storage/port.ts'
import type { Store } from './store.ts'

export interface FormatStep {
  /** The format of the store when the step is done; the step starts from one less. */
  readonly to: number
  /** `nothing`: the step touches only records in the clear and runs before the seal is asked; `barrier`: it runs after. */
  readonly needs: 'nothing' | 'barrier'
  /** Returns the last writes. Neither these nor the earlier commits write the stamp. */
  run(upgrade: Upgrade): Promise<readonly Op[]>
}

export interface Upgrade {
  readonly store: Store
  /**
   * Commits a part of the step, and one op more. Ends the step when others have changed what it depends on; it then starts again.
   */
  commit(ops: readonly Op[]): Promise<void>
}
