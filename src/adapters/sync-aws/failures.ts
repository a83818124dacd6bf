/**
 * What errors of the SDK and of AWS mean.
 */

import { retryAfterMs } from '../sync/retry-after.ts'
import { kindOfStatus, SyncError, syncError } from '../sync/sync-error.ts'

interface SdkError {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly $response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> }
  readonly $retryable?: { readonly throttling?: boolean }
}

/** AWS throttles with status 400 or 429, under several names. */
const THROTTLED = /^(Throttl|TooManyRequests|RequestLimitExceeded|RequestThrottled|SlowDown|LimitExceededRequest)/

/** The SDK found no credentials or no region: it is not the store that failed, and only a change helps. */
const UNCONFIGURED = ['CredentialsProviderError', 'TokenProviderError']

export const errorNameOf = (error: unknown): string => {
  const { name } = (error ?? {}) as SdkError
  return typeof name === 'string' ? name : ''
}

/** The secret waits for its deletion. The name of the error stands for much else, and the words differ from call to call. */
export function isBeingDeleted(error: unknown): boolean {
  const { message } = (error ?? {}) as SdkError
  return errorNameOf(error) === 'InvalidRequestException' && typeof message === 'string' && /delet/i.test(message)
}

export function toAwsSyncError(error: unknown): SyncError {
  if (error instanceof SyncError) return error
  const { $metadata, $response, $retryable, code, message } = (error ?? {}) as SdkError
  const name = errorNameOf(error)
  const status = $response?.statusCode ?? $metadata?.httpStatusCode
  const wait = retryAfterMs($response?.headers?.['retry-after'])
  if (status === 429 || $retryable?.throttling || THROTTLED.test(name)) return syncError('throttled', name, wait)
  if (status !== undefined) return syncError(kindOfStatus(status), name, wait)
  if (UNCONFIGURED.includes(name) || message === 'Region is missing') return syncError('client', 'not_configured')
  return syncError('external', typeof code === 'string' ? code : name)
}
