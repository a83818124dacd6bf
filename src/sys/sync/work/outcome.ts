/**
 * What a turn at an association came to outside.
 */
import { NoAnswer } from '../../../core/base/deadline.ts'
import { SYNC_FAILURES, type SyncFailureKind } from '../port.ts'
import type { SyncRow, SyncStatus } from '../records.ts'

export interface SyncCallFailure {
  readonly kind: SyncFailureKind
  /** The store asks to wait, or does not answer: others would fare no better. */
  readonly pausesDestination: boolean
  readonly retryAfterMs: number | undefined
  /** The name holds a secret that this association did not make. */
  readonly isForeign?: true
}

interface PushedValue {
  readonly digest: string
  readonly turn: number
}

/** Of one row. What has none was not looked at. */
export type RowOutcome =
  | (PushedValue & {
      readonly did: 'put'
      readonly external: string | undefined
      readonly tags: readonly string[]
      /** As `placeOf` has it. */
      readonly place: string
    })
  | { readonly did: 'kept' }
  | { readonly did: 'removed' }
  /** `asked`: by the store; else it was not asked. `pushed`: of a push. */
  | {
      readonly did: 'failed'
      readonly failure: SyncCallFailure
      readonly asked: boolean
      readonly pushed?: PushedValue
      /** The store refused to create what this turn had claimed. */
      readonly isUnclaimed?: boolean
    }

export interface TurnOutcome {
  /** What the association and the outbox counted when the value was read. */
  readonly seq: number
  readonly changes: number
  /** Milliseconds: when what is live deletes itself. */
  readonly until: number | undefined
  /** By fold. */
  readonly rows: ReadonlyMap<string, RowOutcome>
  /** Rows that the store was asked about. */
  readonly asked: readonly SyncRow[]
  readonly accessor: string
  /** Not all rows were looked at. */
  readonly more: boolean
}

/** Only an operator can help: the secret stays as it is until it is adopted or gone. */
export const FOREIGN: SyncCallFailure = { kind: 'client', pausesDestination: false, retryAfterMs: undefined, isForeign: true }

const MAX_RETRY_AFTER_MS = 3_600_000

/** Anything that a store throws. Of its text nothing is kept. */
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
