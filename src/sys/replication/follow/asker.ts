/**
 * A secondary as its own parts see it.
 */
import type { Answer } from '../link.ts'
import type { Kind } from '../state/kind.ts'
import type { Standing } from './standing.ts'

export type FollowState = 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'

/** Of a comparison or a copy: keys; null where nobody knows yet how many there are. */
export interface Progress {
  /** Put right so far. */
  readonly done: number
  /** Found to differ so far. */
  readonly total: number | null
}

export interface Asker {
  readonly kind: Kind
  /** Milliseconds, on the own clock: the bounds of what the primary asserts grow with it. */
  now(): number
  state: FollowState
  progress: Progress | undefined
  /** Asks the primary. */
  ask(message: Answer, signal: AbortSignal): Promise<Answer>
  /** Greets it, and hears where it stands. */
  hello(signal: AbortSignal): Promise<Standing>
}
