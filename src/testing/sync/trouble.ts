import type { SyncFailure, SyncFailureKind } from '../../sys/sync/port.ts'
import { readTrouble } from '../read-trouble.ts'

export type FakeSyncMethod = 'put' | 'remove' | 'describe'

const METHODS: readonly FakeSyncMethod[] = ['put', 'remove', 'describe']
const MANNERS = ['fails', 'throttles', 'conflict', 'refuses', 'hangs', 'deaf', 'drops', 'drops-after']

export interface FakeSyncTrouble {
  /** The method that fails. If absent, any method fails. */
  readonly call?: FakeSyncMethod
  /**
   * Which matching call is the first to fail, counted from 1 when the failure was added. Calls that failed because of another failure do
   * not count. Default: 1, the next call.
   */
  readonly at?: number
  /**
   * How the call fails:
   *
   * - `fails`: the store has an internal error.
   * - `throttles`: the store throttles the call.
   * - `conflict`: the name is temporarily in a state that does not allow the call.
   * - `refuses`: the store refuses the request as invalid.
   * - `hangs`: there is no answer until the signal is aborted.
   * - `deaf`: there is no answer at all, and the signal is ignored.
   * - `drops`: there is no connection.
   * - `drops-after`: the call takes effect, and the answer is lost.
   * - An Error is thrown unchanged.
   * - With a promise, the call does not fail: it waits for the promise, ignores the signal meanwhile, and then takes effect.
   */
  readonly manner:
    | 'fails'
    | 'throttles'
    | 'conflict'
    | 'refuses'
    | 'hangs'
    | 'deaf'
    | 'drops'
    | 'drops-after'
    | Error
    | Promise<unknown>
  /** The number of calls that fail. Default: 1. */
  readonly times?: number
  /** The `retryAfterMs` of the error: how many milliseconds the store requests the caller to wait. */
  readonly retryAfterMs?: number
}

const KINDS: Readonly<Record<Exclude<FakeSyncTrouble['manner'], Error | Promise<unknown>>, SyncFailureKind>> = {
  fails: 'external',
  throttles: 'throttled',
  conflict: 'conflict',
  refuses: 'client',
  hangs: 'external',
  deaf: 'external',
  drops: 'external',
  'drops-after': 'external',
}

export const syncFailure = (kind: SyncFailureKind, code: string, retryAfterMs?: number): SyncFailure =>
  Object.assign(new Error(`fakeSyncDestination: ${code}`), { kind, code }, retryAfterMs === undefined ? {} : { retryAfterMs })

/** The failures that tests have added. Each call meets at most one failure; failures that were added earlier apply first. */
export class FakeSyncTroubles {
  readonly #told: { readonly trouble: FakeSyncTrouble; before: number; left: number }[] = []

  /** Adds a failure. Returns a function that removes the failure. */
  add(given: FakeSyncTrouble): () => void {
    const choices = { call: METHODS, manner: MANNERS }
    const trouble = readTrouble('fakeSyncDestination.trouble', given, choices, { at: 1, retryAfterMs: 1 })
    const told = { trouble, before: (trouble.at ?? 1) - 1, left: trouble.times ?? 1 }
    this.#told.push(told)
    return () => {
      told.left = 0
    }
  }

  calm(): void {
    this.#told.length = 0
  }

  meet(call: FakeSyncMethod): FakeSyncTrouble | undefined {
    for (const told of this.#told) {
      if (told.left === 0 || (told.trouble.call ?? call) !== call) continue
      if (told.before-- > 0) continue
      told.before = 0
      told.left--
      return told.trouble
    }
    return undefined
  }
}

/** Applies a failure before a call takes effect: throws, or resolves if the call should take effect. */
export async function applyTrouble({ manner, retryAfterMs }: FakeSyncTrouble, signal: AbortSignal): Promise<void> {
  if (manner instanceof Error) throw manner
  if (typeof manner !== 'string') return void (await manner)
  if (manner === 'drops-after') return
  if (manner === 'deaf') await new Promise<never>(() => {})
  if (manner === 'hangs' && !signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  throw syncFailure(KINDS[manner], manner === 'hangs' ? 'aborted' : manner, retryAfterMs)
}
