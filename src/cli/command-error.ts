import { EXIT_CODES, type ExitReason } from './exit-codes.ts'

/** An expected failure of a command. Only its message is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly reason: ExitReason
  /** The kind of error, for programs. */
  readonly code: string

  constructor(reason: ExitReason, message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.code = options.code ?? `ERR_${reason.toUpperCase()}`
  }
}

/** The error for invalid arguments. */
export const usageError = (message: string): CommandError => new CommandError('usage', message)

/** An error as it is shown. With `--json`, this object is written to standard error as `{ "error": ... }`. */
export interface ShownError {
  readonly code: string
  readonly message: string
  readonly exit_code: number
}

const REASON_OF_CODE: Readonly<Record<string, ExitReason>> = {
  ERR_SEALED: 'sealed',
  ERR_NOT_INITIALIZED: 'sealed',
  ERR_DECRYPTION_FAILED: 'integrity',
  ERR_PERMISSION_DENIED: 'denied',
  ERR_UNAUTHENTICATED: 'denied',
}

/** @param isInterrupted Whether the command was interrupted before it failed. */
export function shownError(error: unknown, isInterrupted: boolean): ShownError {
  const shown = (reason: ExitReason, code: string, message: string): ShownError => ({
    code,
    message,
    exit_code: EXIT_CODES[reason].code,
  })
  if (isInterrupted) return shown('interrupted', 'ERR_INTERRUPTED', 'interrupted')
  if (error instanceof CommandError) return shown(error.reason, error.code, error.message)
  if (!(error instanceof Error)) return shown('failed', 'ERR_FAILED', String(error))
  if (isKernelError(error)) return shown(REASON_OF_CODE[error.code] ?? 'failed', error.code, error.message)
  // The kernel throws a TypeError for an argument of the wrong type, before it has done anything.
  if (error instanceof TypeError) return shown('usage', 'ERR_USAGE', error.message)
  return shown('failed', 'ERR_FAILED', error.message)
}

interface KernelErrorLike extends Error {
  readonly code: string
}

/** By name, because the config file may load another copy of the package. */
export const isKernelError = (error: unknown): error is KernelErrorLike =>
  error instanceof Error && error.name === 'KernelError' && 'code' in error && typeof error.code === 'string'
