import type { Association } from '../records.ts'
import type { TurnOutcome } from './outcome.ts'

/**
 * Whether the desired state has changed since the turn (the synchronization) with this outcome read it.
 * @param changes The current `OutboxEntry.seq`.
 */
export const isSuperseded = (association: Association, changes: number, outcome: TurnOutcome): boolean =>
  association.seq !== outcome.seq || changes !== outcome.changes
