/**
 * What the adapters of secret sync throw.
 */
import type { SyncFailure, SyncFailureKind } from '../../sys/sync/port.ts'

/** Texts of stores and SDKs may hold values and credentials, so none is passed on, nor is the error itself as a cause. */
const MESSAGES: Readonly<Record<SyncFailureKind, string>> = {
  client: 'the store refused',
  external: 'the store failed, or no connection to it came about or held',
  throttled: 'the store asks to wait',
  conflict: 'the name is in a state that passes',
  internal: 'nothing could be asked',
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

/** @param code Of the store, its SDK or the platform; left out where it has any other form than the port allows. */
export const syncError = (kind: SyncFailureKind, code?: unknown, retryAfterMs?: number): SyncError =>
  new SyncError(kind, typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined, retryAfterMs)

/** What an HTTP status says where a store has no words of its own. */
export function kindOfStatus(status: number | undefined): SyncFailureKind {
  if (status === 429) return 'throttled'
  if (status === 409) return 'conflict'
  // One that leads elsewhere is not followed.
  return status !== undefined && status >= 300 && status < 500 && status !== 408 ? 'client' : 'external'
}
