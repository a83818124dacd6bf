/**
 * One migration from a store format to the next.
 */
import type { Op } from '../storage/port.ts'
import type { Store } from './store.ts'

export interface FormatStep {
  /** The store format after the step. The step starts from the previous format. */
  readonly to: number
  /** `nothing`: the step changes only records in clear text, and runs before unsealing. `barrier`: it runs after unsealing. */
  readonly needs: 'nothing' | 'barrier'
  /**
   * Returns the operations of the step's last commit. Neither these operations nor those of earlier commits may write the stamp, the record
   * that contains the store's format: the caller adds that write.
   */
  run(upgrade: Upgrade): Promise<readonly Op[]>
}

export interface Upgrade {
  readonly store: Store
  /**
   * Commits operations of the step, and adds a write to the stamp, the record that contains the store's format. Throws on a conflict. The
   * step is then run again from its beginning.
   */
  commit(ops: readonly Op[]): Promise<void>
}
