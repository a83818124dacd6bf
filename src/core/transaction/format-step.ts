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
  /** Returns the ops of the last commit. Neither these ops nor earlier commits may write the stamp. */
  run(upgrade: Upgrade): Promise<readonly Op[]>
}

export interface Upgrade {
  readonly store: Store
  /** Commits ops of the step, and adds one op for the stamp. Throws on a conflict. The step is then run again from its beginning. */
  commit(ops: readonly Op[]): Promise<void>
}
