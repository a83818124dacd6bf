/** The result of a turn in the external store. */
import { NoAnswer } from '../../../core/base/deadline.ts'
import { SYNC_FAILURES, type SyncFailureKind } from '../port.ts'
import type { SyncRow, SyncStatus } from '../records.ts'

export interface SyncCallFailure {
  readonly kind: SyncFailureKind
  /** The store asks to wait or does not respond, so calls for other secrets would fail as well. */
  readonly pausesDestination: boolean
  readonly retryAfterMs: number | undefined
  /** The name belongs to a secret that this association did not create. */
  readonly isForeign?: true
}

interface PushedValue {
  readonly digest: string
  readonly turn: number
}

/** The result for one row. A row without one was not handled. */
export type RowOutcome =
  | (PushedValue & {
      readonly did: 'put'
      readonly external: string | undefined
      readonly tags: readonly string[]
      /** As `storeLocationOf` computes it. */
      readonly place: string
    })
  | { readonly did: 'kept' }
  | { readonly did: 'removed' }
  /** `asked`: the store was called. `pushed`: the value of a push. */
  | {
      readonly did: 'failed'
      readonly failure: SyncCallFailure
      readonly asked: boolean
      readonly pushed?: PushedValue
      /** The store refused to create the name that this turn had claimed. */
      readonly isUnclaimed?: boolean
    }

export interface TurnOutcome {
  /** The counts of the association and the outbox when the value was read. */
  readonly seq: number
  readonly changes: number
  /** Milliseconds: when the current version deletes itself. */
  readonly until: number | undefined
  /** By fold. */
  readonly rows: ReadonlyMap<string, RowOutcome>
  /** Rows for which the store was called. */
  readonly asked: readonly SyncRow[]
  readonly accessor: string
  /** Some rows were not handled. */
  readonly more: boolean
}

/** Retrying does not help: an operator has to adopt the external secret or remove it. */
export const FOREIGN: SyncCallFailure = { kind: 'client', pausesDestination: false, retryAfterMs: undefined, isForeign: true }

const MAX_RETRY_AFTER_MS = 3_600_000

/** Classifies any thrown value. The message is dropped. */
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
