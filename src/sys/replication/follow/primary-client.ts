/**
 * A secondary as its own parts see it.
 */
import type { LinkMessage } from '../link.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { PrimaryState } from './primary-state.ts'

export type FollowState = 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'

/** Of a comparison or a copy: keys; null where nobody knows yet how many there are. */
export interface SyncProgress {
  /** Put right so far. */
  readonly done: number
  /** Found to differ so far. */
  readonly total: number | null
}

export interface PrimaryClient {
  readonly kind: ReplicationKind
  /** Milliseconds, on the own clock: the bounds of what the primary asserts grow with it. */
  now(): number
  state: FollowState
  progress: SyncProgress | undefined
  /** Asks the primary. */
  ask(message: LinkMessage, signal: AbortSignal): Promise<LinkMessage>
  /** Greets it, and hears where it stands. */
  hello(signal: AbortSignal): Promise<PrimaryState>
}
