/** The result of a turn in the external store. */
import { NoAnswer } from '../../../core/base/deadline.ts'
import { SYNC_FAILURES, type SyncFailureKind } from '../port.ts'
import type { SyncRow, SyncStatus } from '../records.ts'

export interface SyncCallFailure {
  readonly kind: SyncFailureKind
  /** The store requested a pause or does not respond, so calls for other secrets would fail, too. */
  readonly pausesDestination: boolean
  readonly retryAfterMs: number | undefined
  /** The name belongs to a secret that this association did not create. */
  readonly isForeign?: true
}

interface PushedValue {
  readonly digest: string
  readonly turn: number
}

/** The result for one row. A row without a result was not handled. */
export type RowOutcome =
  | (PushedValue & {
      readonly did: 'put'
      readonly external: string | undefined
      readonly tags: readonly string[]
      /** The location, as computed by `storeLocationOf`. */
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
  /** The counters of the association and of the outbox when the value was read. */
  readonly seq: number
  readonly changes: number
  /** When the current version deletes itself, in milliseconds. */
  readonly until: number | undefined
  /** The results, keyed by fold. */
  readonly rows: ReadonlyMap<string, RowOutcome>
  /** Rows for which the store was called. */
  readonly asked: readonly SyncRow[]
  readonly accessor: string
  /** Whether some rows were not handled. */
  readonly more: boolean
}

/** Retrying does not help: an operator must adopt the external secret or remove it. */
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
