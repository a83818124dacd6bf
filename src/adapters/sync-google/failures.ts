/** Converts Google's error responses and lost connections to sync errors. */

import { retryAfterMs } from '../sync/retry-after.ts'
import { kindOfStatus, SyncError, syncError } from '../sync/sync-error.ts'

/** The parts of a response that error handling reads. */
export interface GoogleResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** An error response. It replaces the SDK's error, which has no headers and whose message may contain the value. */
export class GoogleError extends Error {
  readonly status: number
  /** Google's error code, such as `ALREADY_EXISTS`. */
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(status: number, code: string | undefined, wait: number | undefined) {
    super('refused')
    this.status = status
    this.code = code
    this.retryAfterMs = wait
  }
}

export async function readGoogleError(answer: GoogleResponse): Promise<GoogleError> {
  const text = await answer.text()
  return new GoogleError(answer.status, codeIn(text), retryAfterMs(answer.headers.get('retry-after')))
}

function codeIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { status?: unknown } }
    return typeof error?.status === 'string' ? error.status : undefined
  } catch {
    return undefined
  }
}

export const isGoogleError = (error: unknown, status: number, code?: string): boolean =>
  error instanceof GoogleError && error.status === status && (code === undefined || error.code === code)

export function toGoogleSyncError(error: unknown): SyncError {
  if (error instanceof SyncError) return error
  if (!(error instanceof GoogleError)) return syncError('external', (error as { code?: unknown } | undefined)?.code)
  const { status, code, retryAfterMs: wait } = error
  // ABORTED is the only temporary error with status 409.
  const kind = status === 409 && code !== 'ABORTED' ? 'client' : kindOfStatus(status)
  return syncError(kind, code ?? `http_${status}`, wait)
}
