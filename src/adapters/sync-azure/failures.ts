/** Converts errors of the SDK and of Key Vault to sync errors. */

import { retryAfterMs } from '../sync/retry-after.ts'
import { kindOfStatus, SyncError, syncError } from '../sync/sync-error.ts'

interface VaultErrorBody {
  readonly code?: unknown
  readonly innerError?: VaultErrorBody
}

interface RestError {
  readonly name?: unknown
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly response?: { readonly headers?: { get(name: string): string | undefined } }
  readonly details?: { readonly error?: VaultErrorBody }
}

export const httpStatusOf = (error: unknown): number | undefined => {
  const { statusCode } = (error ?? {}) as RestError
  return typeof statusCode === 'number' ? statusCode : undefined
}

/** The error code of the vault. If there is an inner error, its code is returned, because it is more specific. */
export function vaultErrorCode(error: unknown): string | undefined {
  const { details, code } = (error ?? {}) as RestError
  const found = [details?.error?.innerError?.code, details?.error?.code, code].find(
    (one) => typeof one === 'string' && one !== '',
  )
  return found as string | undefined
}

export function toAzureSyncError(error: unknown): SyncError {
  if (error instanceof SyncError) return error
  const status = httpStatusOf(error)
  const { response, name } = (error ?? {}) as RestError
  return syncError(kindOfStatus(status), vaultErrorCode(error) ?? name, retryAfterMs(response?.headers?.get('retry-after')))
}
