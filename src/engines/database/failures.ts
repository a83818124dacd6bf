/**
 * What databases answer, as the kernel says it: the server's code and words of our own, nothing of its text.
 */
import { NoAnswer } from '../../core/base/deadline.ts'
import { type ErrorCode, KernelError } from '../../core/base/errors.ts'
import { DATABASE_FAILURES, type DatabaseFailureReason } from './port.ts'

export interface ClassifiedDatabaseFailure {
  readonly reason: DatabaseFailureReason
  readonly code: string | undefined
  /** Of `invalid`, in the adapter's own words. */
  readonly message: string
}

const SAFE_CODE = /^\w{1,40}$/

const MAX_MESSAGE_CHARACTERS = 240

/** Anything that an adapter throws. */
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
  invalid: 'the database plugin does not take this',
  connection: 'the database cannot be reached',
  auth: 'the database refused the login of the connection',
  statement: 'the database refused a statement',
  closed: 'the connection to the database was closed',
  timeout: 'the database did not answer in time',
}

/** The server has refused, or was never asked: nothing holds of what was to be done. */
export const isDatabaseRefusal = ({ reason }: ClassifiedDatabaseFailure): boolean =>
  reason === 'invalid' || reason === 'auth' || reason === 'statement'

/** @param code Of all but what is invalid: 502, or 400 while a connection is being configured. */
export function databaseKernelError(
  { reason, code: serverCode, message }: ClassifiedDatabaseFailure,
  code: ErrorCode = 'ERR_UPSTREAM',
): KernelError {
  const words = message || MESSAGES[reason]
  const text = serverCode === undefined ? words : `${words} (${serverCode})`
  return new KernelError(reason === 'invalid' ? 'ERR_INVALID_REQUEST' : code, text)
}
