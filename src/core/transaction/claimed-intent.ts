/**
 * Intents that this process is working on. An intent is the stored record of a call to an outside system that has begun. Other processes
 * may claim an intent only after its due time.
 */
import { KernelError } from '../base/errors.ts'
import { type AnyEffect, INTENT, type IntentRecord, intentId, type PreparedEffect, putIntent } from '../contract/effect.ts'
import { CLAIM_TTL_MS } from '../contract/lane.ts'
import type { Tx } from '../contract/tx.ts'
import { isReadOnly } from './forwarding.ts'
import { transactionOf } from './transaction-of.ts'

/** An intent that this process is working on. */
export interface ClaimedIntent {
  readonly effect: AnyEffect
  /** The id from `prepare`, without the effect's name. */
  readonly id: string
  readonly record: IntentRecord
  readonly transient: unknown
  /** Whether the intent was left by an earlier attempt. */
  readonly isRecovery: boolean
}

/**
 * Writes a new intent and claims it for this process. @throws KernelError 503 if an earlier attempt of the same operation may still be
 * running.
 */
export function beginIntent(
  tx: Tx,
  effect: AnyEffect,
  { id, intent, transient, onExistingIntent }: PreparedEffect<unknown, unknown>,
): ClaimedIntent {
  if (effect.replicated) transactionOf(tx).checkReplicated()
  const key = intentId(effect, id)
  const found = tx.get(INTENT, key)
  if (found?.state === 'running' && tx.now < found.due)
    throw new KernelError(
      'ERR_UNAVAILABLE',
      `${effect.name}: the same operation is in progress, or its outcome is not known yet; retry later`,
    )
  const isRecovery = found !== undefined && onExistingIntent === 'resume'
  const record: IntentRecord = {
    intent: isRecovery ? found.intent : intent,
    state: 'running',
    due: reservedUntil(tx, effect),
    attempts: isRecovery ? found.attempts : 0,
    ...((isRecovery ? found.replaces : found) && { replaces: true }),
  }
  putIntent(tx, key, record)
  return { effect, id, record, transient, isRecovery }
}

/**
 * Claims an existing intent for recovery. Returns undefined if the intent does not exist, is not due yet, or must wait until this cluster
 * is the primary again.
 */
export function claimIntent(tx: Tx, effect: AnyEffect, id: string): ClaimedIntent | undefined {
  const key = intentId(effect, id)
  const found = tx.get(INTENT, key)
  if (!found) return undefined
  if (effect.replicated && isPrimaryElsewhere(tx)) {
    // The effect began while this cluster was the primary. It can continue only when this cluster is the primary again, so only postpone
    // it.
    putIntent(tx, key, { ...found, due: Math.max(found.due, tx.now + CLAIM_TTL_MS) })
    return undefined
  }
  // The entry of the due index that started this work is deleted by this commit, so the intent needs a new entry.
  if (tx.now < found.due) {
    tx.due('intent', key, { to: found.due })
    return undefined
  }
  const record: IntentRecord = { ...found, state: 'running', due: reservedUntil(tx, effect) }
  putIntent(tx, key, record)
  return { effect, id, record, transient: undefined, isRecovery: true }
}

function isPrimaryElsewhere(tx: Tx): boolean {
  try {
    transactionOf(tx).checkReplicated()
    return false
  } catch (error) {
    if (isReadOnly(error)) return true
    throw error
  }
}

/**
 * The time until which no other process may claim the intent. This process can begin its call at any time before its claim on the mount
 * expires, and the call can then run until its time limit. So the time is the sum of both durations.
 */
export const reservedUntil = (tx: Tx, { timeoutMs = tx.env.deadline.ms }: AnyEffect): number =>
  tx.now + CLAIM_TTL_MS + Math.max(timeoutMs, tx.env.deadline.ms)

/** Whether this process still owns the intent. Every claim changes the intent's due time, and a finished intent has no record. */
export function isOurs(tx: Tx, { effect, id, record }: ClaimedIntent): boolean {
  return tx.get(INTENT, intentId(effect, id))?.due === record.due
}
