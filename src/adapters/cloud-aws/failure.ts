import type { CloudFailure, CloudFailureReason } from '../../engines/cloud/port.ts'
import { awsCode, awsReason } from './codes.ts'

/** AWS's messages contain names of accounts and keys, so errors get these fixed messages. */
const MESSAGES: Readonly<Record<CloudFailureReason, string>> = {
  'not-found': 'the object does not exist',
  throttled: 'AWS throttles requests',
  'limit-exceeded': 'a limit of AWS is reached',
  'already-exists': 'the object already exists',
  'delete-conflict': 'other objects depend on this one',
  'access-denied': 'AWS refused the credentials, or they lack the permission',
  invalid: 'AWS refused the parameters',
  'expired-credentials': 'the credentials have expired',
  unavailable: 'AWS cannot be reached or has failed',
  unknown: 'the call failed for an unknown reason',
}

const SAFE_CODE = /^[\w.]{1,60}$/

export class AwsError extends Error implements CloudFailure {
  override readonly name = 'AwsError'
  readonly reason: CloudFailureReason
  declare readonly code?: string

  /** @param code The error code. It is dropped if it does not have the form that the port allows. */
  constructor(reason: CloudFailureReason, code?: string) {
    const safe = code !== undefined && SAFE_CODE.test(code) ? code : undefined
    super(safe === undefined ? MESSAGES[reason] : `${MESSAGES[reason]} (${safe})`)
    this.reason = reason
    if (safe !== undefined) this.code = safe
  }
}

interface SdkError {
  readonly name?: unknown
  /** The code in the XML answer. */
  readonly Code?: unknown
  /** The code of a platform error, such as `ECONNRESET`. */
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown }
  readonly $response?: { readonly statusCode?: unknown }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The reason for an answer without an error code, such as an answer of a proxy. */
function reasonByStatus(status: number): CloudFailureReason {
  if (status === 429) return 'throttled'
  return status >= 500 ? 'unavailable' : 'unknown'
}

/** Error names without information, which are not used as codes. */
const GENERIC_NAMES: ReadonlySet<string> = new Set(['Error', 'TypeError', 'SyntaxError', 'Unknown', 'UnknownError'])

/** @param thrown Anything that the SDK or a credentials provider threw. */
export function awsFailure(thrown: unknown): AwsError {
  if (thrown instanceof AwsError) return thrown
  const { name, Code, code, $metadata, $response } = (thrown ?? {}) as SdkError
  const status = $metadata?.httpStatusCode ?? $response?.statusCode
  const given = [Code, code, isText(name) ? awsCode(name) : undefined].filter(isText)
  for (const each of given) {
    const reason = awsReason(each)
    if (reason !== undefined) return new AwsError(reason, each)
  }
  const shown = given.find((each) => !GENERIC_NAMES.has(each))
  if (typeof status === 'number') return new AwsError(reasonByStatus(status), shown)
  // An error that has a code but no HTTP status was raised by the platform, for example because a certificate is not trusted.
  return new AwsError(isText(code) ? 'unavailable' : 'unknown', shown)
}
