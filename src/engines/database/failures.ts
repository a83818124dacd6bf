import { type ErrorCode, KernelError } from '../../core/base/errors.ts'
import { type ClassifiedFailure, classifyFailure, messageWithCode } from '../credentials/failures.ts'
import { DATABASE_FAILURES, type DatabaseFailureReason } from './port.ts'

export interface ClassifiedDatabaseFailure extends ClassifiedFailure<DatabaseFailureReason> {
  /** The message of the plugin if the reason is `invalid`, otherwise empty. */
  readonly message: string
}

const KINDS = { reasons: DATABASE_FAILURES, otherReason: 'connection', safeCode: /^\w{1,40}$/ } as const

const MAX_MESSAGE_CHARACTERS = 240

/** @param thrown Anything that a plugin threw. */
export function classifyDatabaseFailure(thrown: unknown): ClassifiedDatabaseFailure {
  const classified = classifyFailure(thrown, KINDS)
  const message = classified.reason === 'invalid' ? (thrown as Partial<Error>).message : undefined
  return { ...classified, message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE_CHARACTERS) : '' }
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
  const text = messageWithCode(message || MESSAGES[reason], serverCode)
  return new KernelError(reason === 'invalid' ? 'ERR_INVALID_REQUEST' : code, text)
}
