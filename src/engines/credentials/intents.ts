/** Intents, and errors that decide whether an intent is kept. */
import { INTENT, type IntentRecord, intentId, NotApplied } from '../../core/contract/effect.ts'
import type { Tx } from '../../core/contract/tx.ts'

export const findIntent = (tx: Tx, effect: { readonly name: string }, id: string): IntentRecord | undefined =>
  tx.get(INTENT, intentId(effect, id))

/** Thrown if a call failed before a request was sent to the outside system. So the outside system has not refused the call. */
export class NotCalled extends NotApplied {}

/**
 * Returns the error that a recovery throws: the plain error if the outside system was not called, so that the intent is kept. An earlier
 * attempt may have taken effect.
 */
export const recoveryError = (thrown: unknown): unknown => (thrown instanceof NotCalled ? thrown.refusal : thrown)
