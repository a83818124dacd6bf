/** The connection from a secondary to its primary, in the form that a sync uses. */
import type { LinkMessage } from '../link.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { PrimaryState } from './primary-state.ts'

export type FollowState = 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'

/** The progress of a comparison or a copy, in keys. `total` is null while the number is unknown. */
export interface SyncProgress {
  /** Keys synchronized so far. */
  readonly done: number
  /** Differing keys found so far. */
  readonly total: number | null
}

export interface PrimaryClient {
  readonly kind: ReplicationKind
  /** Returns the local time in milliseconds. The limits for epochs and indexes in messages grow with this time. */
  now(): number
  state: FollowState
  progress: SyncProgress | undefined
  /** Sends a request to the primary. */
  ask(message: LinkMessage, signal: AbortSignal): Promise<LinkMessage>
  /** Sends a hello and returns the state of the primary. */
  hello(signal: AbortSignal): Promise<PrimaryState>
}
