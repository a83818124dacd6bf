/**
 * Whether what was read for a turn is still what is wanted when it ends.
 */
import type { Association } from '../records.ts'
import type { TurnOutcome } from './outcome.ts'

/** @param changes Of the secret, as the outbox counts them now. */
export const isSuperseded = (association: Association, changes: number, outcome: TurnOutcome): boolean =>
  association.seq !== outcome.seq || changes !== outcome.changes
