/** The errors of sync adapters. */
import type { SyncFailure, SyncFailureKind } from '../../sys/sync/port.ts'

/**
 * Messages of servers and SDKs may contain values and credentials. So errors get these messages instead, and the original error is not
 * attached as a cause.
 */
const MESSAGES: Readonly<Record<SyncFailureKind, string>> = {
  client: 'the external store refused the call',
  external: 'the external store failed or could not be reached',
  throttled: 'the external store limits the rate of calls',
  conflict: 'the name is in use, or its state is changing',
  internal: 'the call could not be made',
}

const SAFE_CODE = /^[\w.]{1,60}$/

export class SyncError extends Error implements SyncFailure {
  override readonly name = 'SyncError'
  readonly kind: SyncFailureKind
  declare readonly retryAfterMs?: number
  declare readonly code?: string

  constructor(kind: SyncFailureKind, code?: string, retryAfterMs?: number) {
    super(code === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} (${code})`)
    this.kind = kind
    if (code !== undefined) this.code = code
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}

/** @param code The code of the server, SDK or platform. It is dropped if it does not have the form that the port requires. */
export const syncError = (kind: SyncFailureKind, code?: unknown, retryAfterMs?: number): SyncError =>
  new SyncError(kind, typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined, retryAfterMs)

/** The kind of a failure by its HTTP status, for responses without a known code. */
export function kindOfStatus(status: number | undefined): SyncFailureKind {
  if (status === 429) return 'throttled'
  if (status === 409) return 'conflict'
  // Redirects are not followed, so they are refusals, too.
  return status !== undefined && status >= 300 && status < 500 && status !== 408 ? 'client' : 'external'
}
