/** The result of a turn, which is one synchronization of one association: which external secrets it pushed or removed, and what failed. */
import { NoAnswer } from '../../../core/base/deadline.ts'
import { SYNC_FAILURES, type SyncFailureKind } from '../port.ts'
import type { SyncRow, SyncStatus } from '../records.ts'

export interface SyncCallFailure {
  readonly kind: SyncFailureKind
  /** Whether to stop calling the destination for a while: the external store requested a pause or does not respond. */
  readonly pausesDestination: boolean
  readonly retryAfterMs: number | undefined
  /** Set if the external store already has a secret with this name that another owner created. */
  readonly isForeign?: true
}

interface PushedValue {
  readonly digest: string
  readonly turn: number
}

/** The result of the turn for one external secret, which is one {@link SyncRow}. */
export type RowOutcome =
  | (PushedValue & {
      readonly did: 'put'
      readonly external: string | undefined
      readonly tags: readonly string[]
      /** The location to which the secret was written, as computed by `storeLocationOf`. */
      readonly place: string
    })
  | { readonly did: 'kept' }
  | { readonly did: 'removed' }
  /** `asked`: whether the external store was called. `pushed`: the value, if the failed call was a push. */
  | {
      readonly did: 'failed'
      readonly failure: SyncCallFailure
      readonly asked: boolean
      readonly pushed?: PushedValue
      /**
       * Whether to remove `SyncRow.claimed`, which this turn stored before the push, because the external store did not create the secret.
       */
      readonly isUnclaimed?: boolean
    }

export interface TurnOutcome {
  /** `Association.seq` when the desired state was read. */
  readonly seq: number
  /** `OutboxEntry.seq` when the desired state was read; 0 without an outbox entry. */
  readonly changes: number
  /** When the current version expires, in milliseconds since 1970. */
  readonly until: number | undefined
  /** The outcomes, keyed by `SyncRow.fold`. Rows that the turn did not handle are missing. */
  readonly rows: ReadonlyMap<string, RowOutcome>
  /** The recorded states of the external secrets for which the turn called the external store. */
  readonly asked: readonly SyncRow[]
  readonly accessor: string
  /** Whether the turn has left external secrets to the next turn. */
  readonly more: boolean
}

/** The external secret belongs to another owner. Not retried: an operator must adopt or remove the external secret first. */
export const FOREIGN: SyncCallFailure = { kind: 'client', pausesDestination: false, retryAfterMs: undefined, isForeign: true }

const MAX_RETRY_AFTER_MS = 3_600_000

/** Classifies the error that a destination's method has thrown. Drops the message, which may contain secrets. */
export function syncFailureOf(thrown: unknown): SyncCallFailure {
  if (thrown instanceof NoAnswer) return { kind: 'external', pausesDestination: true, retryAfterMs: undefined }
  const { kind, retryAfterMs } = (thrown ?? {}) as Readonly<Record<string, unknown>>
  const known = SYNC_FAILURES.find((each) => each === kind) ?? 'external'
  const wait = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : undefined
  return { kind: known, pausesDestination: known === 'throttled', retryAfterMs: wait }
}

export const STATUS_OF: Readonly<Record<SyncFailureKind, SyncStatus>> = {
  client: 'CLIENT_SIDE_ERROR',
  external: 'EXTERNAL_SERVICE_ERROR',
  throttled: 'EXTERNAL_SERVICE_ERROR',
  conflict: 'EXTERNAL_SERVICE_ERROR',
  internal: 'INTERNAL_ERROR',
}
