/**
 * Runs effects, which are operations that call an outside system: commits the intent (the record that the call has begun), calls the
 * system, commits the result. If the process stops before the result is committed, a tick of any process recovers the intent.
 */
import { backOffAfter } from '../base/back-off.ts'
import { NoAnswer } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import {
  type AnyEffect,
  dropIntent,
  type EffectContext,
  INTENT,
  type IntentRecord,
  intentId,
  NotApplied,
  PossiblyApplied,
  putIntent,
} from '../contract/effect.ts'
import { failedWorkEvent, reportedErrors, reportFailure } from '../contract/failed-work.ts'
import type { EffectWork } from '../contract/operation.ts'
import type { Call, Tx } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import { beginIntent, type ClaimedIntent, isOurs, reservedUntil } from './claimed-intent.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { type ResultWithWarnings, transactAndEnd } from './transact.ts'
import { transactionOf } from './transaction-of.ts'

type EffectResult = ResultWithWarnings<Values | undefined>

export class EffectRunner {
  readonly #host: Host
  readonly #keyspace: Keyspace

  constructor(host: Host, keyspace: Keyspace) {
    this.#host = host
    this.#keyspace = keyspace
  }

  /** Runs an operation that calls an outside system: commits the intent, makes the call and commits the result. */
  // biome-ignore lint/suspicious/noExplicitAny: fields and results are those of an operation in an engine's record.
  async run({ effect, prepare, beforeAnswer }: EffectWork<any, any>, input: Values, call: Call): Promise<EffectResult> {
    const { value: claimed, warnings: first } = await this.#write(call, (run) => {
      call.recheck?.(run)
      // Check before `prepare` that this cluster may write: `prepare` may call an outside system before there is an intent.
      if (effect.replicated) transactionOf(run).checkReplicated()
      const prepared = prepare(run, input)
      return 'answer' in prepared ? prepared : beginIntent(run, effect, prepared)
    })
    const done =
      'answer' in claimed ? { value: claimed.answer as EffectResult['value'], warnings: [] } : await this.carryOut(claimed, call)
    const warnings = [...first, ...done.warnings]
    if (beforeAnswer && done.value) {
      const { env, clock } = this.#host
      const warn = (message: string): void => void warnings.push(message)
      await beforeAnswer({ env, call, now: clock.now(), warn }, done.value).catch(() => {})
    }
    return { value: done.value, warnings }
  }

  /**
   * Makes the call for an intent and commits the result. @throws KernelError if the call fails or its result cannot be committed. If
   * another attempt must follow, the stored intent then says when.
   */
  async carryOut(claimed: ClaimedIntent, call: Call): Promise<EffectResult> {
    const { effect, record, transient, isRecovery } = claimed
    const handler = isRecovery ? effect.recover : effect
    const { env, clock } = this.#host
    const { timeoutMs: ms = env.deadline.ms } = effect
    // If the call began now, so long after the intent was committed, it could still be running when other processes may claim the intent.
    if (clock.now() + ms > record.due)
      throw new KernelError('ERR_UPSTREAM', `${effect.name}: was delayed too long and did not begin`)
    let outcome: unknown
    try {
      outcome = await env.deadline.call({
        name: effect.name,
        ms,
        call: (signal) => handler.perform(record.intent, this.#effectContext(claimed, call, signal), transient),
      })
    } catch (thrown) {
      const error = errorOf(effect, thrown)
      reportedErrors.delete(error)
      await this.#storeFailure(claimed, call, error, thrown)
      if (call.tick && !reportedErrors.has(error)) this.#report(claimed, call, error)
      throw error
    }
    return this.#finish(claimed, call, outcome)
  }

  #effectContext(claimed: ClaimedIntent, call: Call, signal: AbortSignal): EffectContext {
    const { effect, id, record } = claimed
    return {
      env: this.#host.env,
      signal,
      tick: call.tick,
      read: async (body) => (await transactAndEnd(this.#host, this.#keyspace, call, 'read', body)).value,
      saveProgress: async (intent, body) => {
        await this.#write(call, (tx) => {
          if (!isOurs(tx, claimed)) throw takenOverError(effect)
          putIntent(tx, intentId(effect, id), { ...record, intent })
          body(tx)
        })
      },
    }
  }

  async #finish(claimed: ClaimedIntent, call: Call, outcome: unknown): Promise<EffectResult> {
    const { effect, id, record, isRecovery } = claimed
    const handler = isRecovery ? effect.recover : effect
    let overtaken = false
    try {
      const done = await this.#write(call, (tx) => {
        overtaken = !isOurs(tx, claimed)
        if (overtaken) return effect.onSuperseded?.(tx, record.intent, outcome) as undefined
        dropIntent(tx, effect, id)
        return handler.finish(tx, record.intent, outcome) as Values | undefined
      })
      if (overtaken) throw takenOverError(effect)
      return done
    } catch (thrown) {
      // The change in the outside system must not remain, so undo it now. If that fails, a tick will undo it.
      if (!isRecovery && thrown instanceof KernelError && thrown.status < 500) await this.#undo(claimed, call)
      throw thrown
    }
  }

  async #undo(claimed: ClaimedIntent, call: Call): Promise<void> {
    const { effect, id, record } = claimed
    const { value: recovery } = await this.#write(call, (tx) => {
      if (!isOurs(tx, claimed)) return undefined
      const again: IntentRecord = { ...record, due: reservedUntil(tx, effect) + 1 }
      putIntent(tx, intentId(effect, id), again)
      return { effect, id, record: again, transient: undefined, isRecovery: true }
    })
    // Ignore errors: a failed recovery leaves the intent in the store, and a tick repeats the recovery.
    if (recovery) await this.carryOut(recovery, call).catch(() => {})
  }

  async #storeFailure(claimed: ClaimedIntent, call: Call, error: KernelError, thrown: unknown): Promise<void> {
    const { effect, id, isRecovery } = claimed
    const notApplied = thrown instanceof NotApplied
    const possiblyApplied = thrown instanceof PossiblyApplied
    if (!notApplied && !possiblyApplied && !isRecovery && !effect.onUnknownOutcome) return
    await this.#write(call, (tx) => {
      const record = tx.get(INTENT, intentId(effect, id))
      // Use the intent as read now and not `claimed.record`, because the call may have saved progress in it.
      if (!record || !isOurs(tx, claimed)) return
      const attempts = record.attempts + 1
      const status = { attempts, mayBeApplied: isRecovery || record.replaces === true }
      const stays = notApplied && effect.onRefusal ? effect.onRefusal(tx, record.intent, error, status) === 'again' : isRecovery
      if (notApplied && !stays) return dropIntent(tx, effect, id)
      if (!notApplied) effect.onUnknownOutcome?.(tx, record.intent, error)
      const next: IntentRecord =
        notApplied || isRecovery
          ? { ...record, state: 'waiting', due: tx.now + backOffAfter(attempts), attempts }
          : { ...record, attempts, ...(possiblyApplied && { state: 'waiting' }) }
      putIntent(tx, intentId(effect, id), next)
      if (!call.tick || reportedErrors.has(error)) return
      reportFailure(tx, { lane: 'intent', id: intentId(effect, id), error, attempt: attempts, due: next.due })
    })
  }

  /**
   * Reports a failed call whose outcome is unknown, without storing anything. The intent is tried again when the time until which this
   * process has reserved it has passed.
   */
  #report({ effect, id, record }: ClaimedIntent, { namespace, mount }: Call, error: KernelError): void {
    reportedErrors.add(error)
    const data = failedWorkEvent({
      lane: 'intent',
      id: intentId(effect, id),
      error,
      attempt: record.attempts + 1,
      due: record.due,
    })
    const { clock, events } = this.#host
    events.publish([
      { type: 'work.failed', at: clock.now(), namespace: namespace.path, mount: mount.path, uuid: this.#keyspace.id, data },
    ])
  }

  #write<T>(call: Call, body: (tx: Tx) => T): Promise<ResultWithWarnings<T>> {
    return transactAndEnd(this.#host, this.#keyspace, call, 'write', body)
  }
}

const takenOverError = ({ name }: AnyEffect): KernelError =>
  new KernelError('ERR_UPSTREAM', `${name}: took too long, and another process has taken it over`)

function errorOf({ name }: AnyEffect, thrown: unknown): KernelError {
  if (thrown instanceof NotApplied || thrown instanceof PossiblyApplied) return thrown.refusal
  if (thrown instanceof KernelError) return thrown
  const why = thrown instanceof NoAnswer ? 'no answer in time' : 'failed'
  return new KernelError('ERR_UPSTREAM', `${name}: ${why}; its outcome is being determined in the background`, { cause: thrown })
}
