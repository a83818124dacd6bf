/** The interface through which a Merkle sync and the fetching of log records use the connection to the primary. */
import type { LinkMessage } from '../link.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { PrimaryState } from './primary-state.ts'

export type FollowState = 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'

/** The progress of a Merkle sync. `total` is null before the first differing key is found. */
export interface SyncProgress {
  /** Keys synchronized so far. */
  readonly done: number
  /** Differing keys found so far. */
  readonly total: number | null
}

export interface PrimaryClient {
  readonly kind: ReplicationKind
  /** Returns the local time in milliseconds, which limits the epochs and indexes that a message may contain. */
  now(): number
  state: FollowState
  progress: SyncProgress | undefined
  /** Sends a request to the primary. */
  ask(message: LinkMessage, signal: AbortSignal): Promise<LinkMessage>
  /** Sends a hello and returns the state of the primary. */
  hello(signal: AbortSignal): Promise<PrimaryState>
}
