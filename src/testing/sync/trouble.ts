/** Trouble that an external store in memory is told to have. */

import type { SyncFailure, SyncFailureKind } from '../../sys/sync/port.ts'
import { readTrouble } from '../read-trouble.ts'

export type FakeSyncMethod = 'put' | 'remove' | 'describe'

const METHODS: readonly FakeSyncMethod[] = ['put', 'remove', 'describe']
const MANNERS = ['fails', 'throttles', 'conflict', 'refuses', 'hangs', 'deaf', 'drops', 'drops-after']

export interface FakeSyncTrouble {
  /** Default: whichever. */
  readonly call?: FakeSyncMethod
  /** The first call that meets it, counted from when it was told; default 1, the next. */
  readonly at?: number
  /**
   * `fails`: the store's own fault. `throttles`. `conflict`: the name is in a state that passes. `refuses`: ours. `hangs`: nothing comes until
   * the signal ends the call. `deaf`: nothing comes at all, whatever the signal says. `drops`: no connection. `drops-after`: it is done, and
   * the answer is lost. An Error: it is thrown as it is. A promise: the call waits for it, whatever the signal says, and is then carried out.
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
  /** How many calls meet it; default 1. */
  readonly times?: number
  /** What the store asks to wait. */
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

/** All trouble that was told and not met yet. What was told earlier comes first; a call meets one. */
export class FakeSyncTroubles {
  readonly #told: { readonly trouble: FakeSyncTrouble; before: number; left: number }[] = []

  /** Returns what takes it back. */
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

/** What the call comes to before it is carried out; returns where it is to be. */
export async function applyTrouble({ manner, retryAfterMs }: FakeSyncTrouble, signal: AbortSignal): Promise<void> {
  if (manner instanceof Error) throw manner
  if (typeof manner !== 'string') return void (await manner)
  if (manner === 'drops-after') return
  if (manner === 'deaf') await new Promise<never>(() => {})
  if (manner === 'hangs' && !signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  throw syncFailure(KINDS[manner], manner === 'hangs' ? 'aborted' : manner, retryAfterMs)
}
