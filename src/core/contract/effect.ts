/**
 * Work outside of the store, such as users of databases: an intent is committed before it, what came of it after it.
 */
import type { KernelError } from '../base/errors.ts'
import { jsonRecord } from './record-kind.ts'
import type { Environment, Tx } from './tx.ts'

/** What work outside may use. */
export interface EffectContext {
  readonly env: Environment
  /** Aborted at the deadline, and when the kernel closes. */
  readonly signal: AbortSignal
  /** Of which tick it is part; none of a request. */
  readonly tick: object | undefined
  /** Reads records of the mount as they are now. */
  readonly read: <T>(body: (tx: Tx) => T) => Promise<T>
  /**
   * Commits how far the work has come: the intent that a recovery is to find from now on, and what `body` writes.
   * @throws KernelError 502 where others go on with it; what `body` throws.
   */
  readonly saveProgress: (intent: unknown, body: (tx: Tx) => void) => Promise<void>
}

/** Thrown by `perform` where whoever was asked has refused, and nothing of what was asked holds. Anything else thrown: nobody knows. */
export class NotApplied extends Error {
  override readonly name = 'NothingDone'
  readonly refusal: KernelError

  constructor(refusal: KernelError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/**
 * Thrown by `perform` where nothing is on its way any more, and yet something may hold of what was asked. The intent is recovered when its
 * time has come; who asks for the same before need not wait.
 */
export class PossiblyApplied extends Error {
  override readonly name = 'Unsettled'
  readonly refusal: KernelError

  constructor(refusal: KernelError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/** How an intent that is left over comes to its end: its process is gone, or never learnt what became of it. */
export interface Recovery<I, O> {
  /** May be asked any number of times, also after it has done its work. */
  readonly perform: (intent: I, outside: EffectContext) => Promise<O>
  /** Its result answers a request that resumes an intent. */
  readonly finish: (tx: Tx, intent: I, outcome: O) => unknown
}

export interface RefusalHistory {
  /** How often it has been refused or come to nothing, this time included. */
  readonly attempts: number
  /** Something was asked before whose end nobody knows: of this intent, or of one whose place it took. */
  readonly mayBeApplied: boolean
}

/**
 * @typeParam I The intent: JSON, kept behind the barrier until its end is known.
 * @typeParam C What goes to `perform` in this process alone, and is never stored.
 * @typeParam O What came of it.
 * @typeParam R What whoever asked for it gets.
 */
export interface Effect<I, C, O, R> {
  /** One path segment; stored with its intents. */
  readonly name: string
  /** What comes of it is replicated: it is done on the primary of a set, and on a secondary refused before anything is asked outside. */
  readonly replicated?: true
  /** Milliseconds, for all of `perform` together. Default: `effectTimeoutMs`. */
  readonly timeoutMs?: number
  /** @throws NothingDone for a refusal. */
  readonly perform: (intent: I, outside: EffectContext, carried: C) => Promise<O>
  /**
   * In the commit that removes the intent; may run again. A refusal leaves the intent to `recover`.
   */
  readonly finish: (tx: Tx, intent: I, outcome: O) => R
  /**
   * In the commit that removes the intent after a refusal. `again`: it stays, and is recovered later. Default: `again` of a recovery, else not.
   */
  readonly onRefusal?: (tx: Tx, intent: I, refusal: KernelError, refused: RefusalHistory) => 'again' | undefined
  /**
   * Others have gone on with the intent while this process was at it, and may have come to their end before what it did outside took effect.
   */
  readonly onSuperseded?: (tx: Tx, intent: I, outcome: O) => void
  /** Nobody knows what became of it; the intent stays. */
  readonly onUnknownOutcome?: (tx: Tx, intent: I, error: KernelError) => void
  // biome-ignore lint/suspicious/noExplicitAny: what its two halves hand each other is nobody else's business.
  readonly recover: Recovery<I, any>
}

// biome-ignore lint/suspicious/noExplicitAny: the existential type of an effect in a table.
export type AnyEffect = Effect<any, any, any, any>

export interface PreparedEffect<I, C> {
  /** What there is one intent for at a time: asked again meanwhile is refused (503). Ids may contain slashes. */
  readonly id: string
  readonly intent: I
  readonly transient: C
  /** Of an intent for that id that is left over: it is carried out instead of this one, or gives way to it. */
  readonly onExistingIntent: 'resume' | 'replace'
}

/** What `prepare` gives where nothing is left to do outside: the answer, in the commit of `prepare`. */
export interface ImmediateAnswer<R> {
  readonly answer: R
}

/** Work that is due and lies outside. Undefined: there is nothing to do any more. */
export interface DueEffect<I, C> {
  // biome-ignore lint/suspicious/noExplicitAny: nobody is answered.
  readonly effect: Effect<I, C, any, any>
  readonly prepare: (tx: Tx, id: string) => PreparedEffect<I, C> | undefined
}

/** How an intent is stored. */
export interface IntentRecord {
  readonly intent: unknown
  /** `running`: somebody may be at it until it is due. `waiting`: nobody is. */
  readonly state: 'running' | 'waiting'
  /** Milliseconds: from then on it is taken up by a tick. */
  readonly due: number
  readonly attempts: number
  /** It took the place of one whose end nobody knows. */
  readonly replaces?: true
}

/** At `l/<mount>/intent/<effect>/<id>`. */
export const INTENT = /* @__PURE__ */ jsonRecord<IntentRecord>({ class: 'l', folder: 'intent' })

export const intentId = ({ name }: { readonly name: string }, id: string): string => `${name}/${id}`

/** What it is about is gone, and with it the reason for it. Who is at it learns of it at its end. */
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
