/**
 * Translates failures of database plugins to kernel errors. Messages of the server may contain secrets, so a kernel error contains only a
 * fixed message and the server's code.
 */
import { NoAnswer } from '../../core/base/deadline.ts'
import { type ErrorCode, KernelError } from '../../core/base/errors.ts'
import { DATABASE_FAILURES, type DatabaseFailureReason } from './port.ts'

export interface ClassifiedDatabaseFailure {
  readonly reason: DatabaseFailureReason
  readonly code: string | undefined
  /** The message of the plugin if the reason is `invalid`, otherwise empty. */
  readonly message: string
}

const SAFE_CODE = /^\w{1,40}$/

const MAX_MESSAGE_CHARACTERS = 240

/** @param thrown Anything that a plugin threw. */
export function classifyDatabaseFailure(thrown: unknown): ClassifiedDatabaseFailure {
  if (thrown instanceof NoAnswer) return { reason: 'timeout', code: undefined, message: '' }
  const { reason, code, message } = (thrown ?? {}) as Readonly<Record<string, unknown>>
  const known = DATABASE_FAILURES.find((each) => each === reason) ?? 'connection'
  return {
    reason: known,
    code: typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined,
    message: known === 'invalid' && typeof message === 'string' ? message.slice(0, MAX_MESSAGE_CHARACTERS) : '',
  }
}

const MESSAGES: Readonly<Record<DatabaseFailureReason, string>> = {
  invalid: 'the database plugin refused the parameters',
  connection: 'the database cannot be reached',
  auth: 'the database refused the login of the connection',
  statement: 'the database refused a statement',
  closed: 'the connection to the database was closed',
  timeout: 'the database did not answer in time',
}

/** Whether the call certainly changed nothing, because the server refused the call or no request was sent. */
export const isDatabaseRefusal = ({ reason }: ClassifiedDatabaseFailure): boolean =>
  reason === 'invalid' || reason === 'auth' || reason === 'statement'

/** @param code The code of the error. For the reason `invalid`, the code is always `ERR_INVALID_REQUEST`. */
export function databaseKernelError(
  { reason, code: serverCode, message }: ClassifiedDatabaseFailure,
  code: ErrorCode = 'ERR_UPSTREAM',
): KernelError {
  const words = message || MESSAGES[reason]
  const text = serverCode === undefined ? words : `${words} (${serverCode})`
  return new KernelError(reason === 'invalid' ? 'ERR_INVALID_REQUEST' : code, text)
}
