/**
 * What errors of the SDK and of Key Vault mean.
 */
import { failed, kindOfStatus, SyncError } from '../sync/failure.ts'
import { retryAfterMs } from '../sync/retry-after.ts'

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

export const statusOf = (error: unknown): number | undefined => {
  const { statusCode } = (error ?? {}) as RestError
  return typeof statusCode === 'number' ? statusCode : undefined
}

/** The vault's own code, the narrower one where there are two. */
export function codeOf(error: unknown): string | undefined {
  const { details, code } = (error ?? {}) as RestError
  const found = [details?.error?.innerError?.code, details?.error?.code, code].find(
    (one) => typeof one === 'string' && one !== '',
  )
  return found as string | undefined
}

export function failureOf(error: unknown): SyncError {
  if (error instanceof SyncError) return error
  const status = statusOf(error)
  const { response, name } = (error ?? {}) as RestError
  return failed(kindOfStatus(status), codeOf(error) ?? name, retryAfterMs(response?.headers?.get('retry-after')))
}
