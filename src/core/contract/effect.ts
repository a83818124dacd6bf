/**
 * Effects: work in an outside system, such as creating a database user. An intent is committed before the work, and its result afterwards.
 */
import type { KernelError } from '../base/errors.ts'
import { coreRecord } from './core-record.ts'
import type { Environment } from './environment.ts'
import type { Tx } from './tx.ts'

/** The functions that an effect can use while it works in the outside system. */
export interface EffectContext {
  readonly env: Environment
  /** Aborted at the deadline and when the kernel closes. */
  readonly signal: AbortSignal
  /** The tick during which the effect runs; undefined if a request runs it. */
  readonly tick: object | undefined
  /** Reads the mount's current records. */
  readonly read: <T>(body: (tx: Tx) => T) => Promise<T>
  /**
   * Commits progress: replaces the intent from which a recovery would start, and runs `body` in the same commit.
   * @throws KernelError 502 if another process has taken over the intent. Also throws the errors of `body`.
   */
  readonly saveProgress: (intent: unknown, body: (tx: Tx) => void) => Promise<void>
}

/** Thrown by `perform` if the outside system refused the call and changed nothing. After any other error, the outcome is unknown. */
export class NotApplied extends Error {
  override readonly name = 'NotApplied'
  readonly refusal: KernelError

  constructor(refusal: KernelError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/**
 * Thrown by `perform` if no outside call is in flight any more, but the outside system may have applied the change. The intent is recovered
 * when it is due. A request with the same id may resume it earlier.
 */
export class PossiblyApplied extends Error {
  override readonly name = 'PossiblyApplied'
  readonly refusal: KernelError

  constructor(refusal: KernelError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/** Finishes an intent if the process that began it stopped or did not learn whether the outside call took effect. */
export interface Recovery<I, O> {
  /** Must be idempotent: it may be called any number of times, even after a successful call. */
  readonly perform: (intent: I, outside: EffectContext) => Promise<O>
  /** If a request resumed the intent, the request returns the result of this function. */
  readonly finish: (tx: Tx, intent: I, outcome: O) => unknown
}

export interface RefusalHistory {
  /** The number of failed attempts, including the current attempt. */
  readonly attempts: number
  /** Whether an earlier outside call for this intent, or for an intent that it replaced, may have taken effect. */
  readonly mayBeApplied: boolean
}

/**
 * @typeParam I The intent: JSON, encrypted in the store until the effect is finished.
 * @typeParam C Data for `perform` in this process only. It is never stored.
 * @typeParam O The result of `perform`.
 * @typeParam R The result for the caller.
 */
export interface Effect<I, C, O, R> {
  /** The name of the effect: one path segment, which is part of the keys of stored intents. */
  readonly name: string
  /**
   * Set if the records that the effect writes are replicated. Only the primary then performs the effect. A secondary refuses the request
   * before any outside call.
   */
  readonly replicated?: true
  /** The time limit for `perform` as a whole, in milliseconds. Default: `effectTimeoutMs`. */
  readonly timeoutMs?: number
  /** @throws NotApplied if the outside system refused the call. */
  readonly perform: (intent: I, outside: EffectContext, carried: C) => Promise<O>
  /** Runs in the commit that removes the intent, and may run again. If it throws, the intent is kept for `recover`. */
  readonly finish: (tx: Tx, intent: I, outcome: O) => R
  /**
   * Runs in the commit after the outside system refused the call. If the function returns `again`, the intent is kept for a later recovery;
   * otherwise this commit removes the intent. Without this function, the commit removes the intent, unless the refused call was made by a
   * recovery.
   */
  readonly onRefusal?: (tx: Tx, intent: I, refusal: KernelError, refused: RefusalHistory) => 'again' | undefined
  /**
   * Called if another process took over the intent while `perform` ran in this process. The outside call of this process may have taken
   * effect after the other process finished.
   */
  readonly onSuperseded?: (tx: Tx, intent: I, outcome: O) => void
  /** Called if the outcome is unknown. The intent is kept. */
  readonly onUnknownOutcome?: (tx: Tx, intent: I, error: KernelError) => void
  // biome-ignore lint/suspicious/noExplicitAny: only the two functions of a recovery use the type of its outcome.
  readonly recover: Recovery<I, any>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of effects contains effects of different types.
export type AnyEffect = Effect<any, any, any, any>

export interface PreparedEffect<I, C> {
  /** The id of the intent; ids may contain slashes. Only one intent per id exists at a time: a second request fails with 503. */
  readonly id: string
  readonly intent: I
  readonly transient: C
  /** How to treat an unfinished intent with this id: resume it instead of starting this intent, or replace it. */
  readonly onExistingIntent: 'resume' | 'replace'
}

/** Returned by `prepare` if no outside call is needed. The result and the changes of `prepare` are committed together. */
export interface ImmediateAnswer<R> {
  readonly answer: R
}

/** Scheduled background work that calls an outside system. If `prepare` returns undefined, nothing needs to be done any more. */
export interface DueEffect<I, C> {
  // biome-ignore lint/suspicious/noExplicitAny: no caller receives the result.
  readonly effect: Effect<I, C, any, any>
  readonly prepare: (tx: Tx, id: string) => PreparedEffect<I, C> | undefined
}

/** The stored form of an intent. */
export interface IntentRecord {
  readonly intent: unknown
  /** `running`: until the time `due`, a process may be working on the intent. `waiting`: no process is working on the intent. */
  readonly state: 'running' | 'waiting'
  /** Milliseconds since the epoch. After this time, a tick may take over the intent. */
  readonly due: number
  readonly attempts: number
  /** Whether the intent replaced an earlier intent whose outcome is unknown. */
  readonly replaces?: true
}

/** The record kind of intents. An intent is stored at `l/<mount>/intent/<effect>/<id>`. */
export const INTENT = /* @__PURE__ */ coreRecord<IntentRecord>({ class: 'l', folder: 'intent' })

export const intentId = ({ name }: { readonly name: string }, id: string): string => `${name}/${id}`

/**
 * Removes an intent that is no longer needed because the object that it would change was deleted. A process that is working on the intent
 * detects the removal when it finishes.
 */
export function dropIntent(tx: Tx, effect: { readonly name: string }, id: string): void {
  const key = intentId(effect, id)
  const found = tx.get(INTENT, key)
  if (!found) return
  tx.delete(INTENT, key)
  tx.due('intent', key, { from: found.due })
}

export function putIntent(tx: Tx, key: string, record: IntentRecord): void {
  const before = tx.get(INTENT, key)
  tx.put(INTENT, key, record)
  tx.due('intent', key, { from: before?.due, to: record.due })
}

export const effect = <I, C, O, R>(definition: Effect<I, C, O, R>): Effect<I, C, O, R> => definition
