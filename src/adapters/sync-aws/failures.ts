/** Converts errors of the SDK and of AWS to sync errors. */

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

/** The names of the errors by which AWS reports throttling, with status 400 or 429. */
const THROTTLED = /^(Throttl|TooManyRequests|RequestLimitExceeded|RequestThrottled|SlowDown|LimitExceededRequest)/

/** The names of the errors if the SDK finds no credentials. AWS was not called, and a retry is useless until the configuration changes. */
const UNCONFIGURED = ['CredentialsProviderError', 'TokenProviderError']

export const errorNameOf = (error: unknown): string => {
  const { name } = (error ?? {}) as SdkError
  return typeof name === 'string' ? name : ''
}

/**
 * Whether the secret is scheduled for deletion. The error name has other meanings, too, and the message differs from call to call, so the
 * message is searched for "delet".
 */
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
