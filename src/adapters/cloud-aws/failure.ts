/**
 * What the adapter throws: the port's reason, AWS's code, words of its own.
 */
import type { CloudFailure, CloudFailureReason } from '../../engines/cloud/port.ts'
import { awsCode, awsReason } from './codes.ts'

/** Texts of AWS hold names of accounts and keys, so none is passed on. */
const MESSAGES: Readonly<Record<CloudFailureReason, string>> = {
  'not-found': 'there is no such thing',
  throttled: 'AWS asks for fewer requests',
  'limit-exceeded': 'a limit of AWS is reached',
  'already-exists': 'it exists already',
  'delete-conflict': 'something else depends on it',
  'access-denied': 'AWS refused the credentials, or they may not do this',
  invalid: 'AWS does not take this',
  'expired-credentials': 'the credentials have expired',
  unavailable: 'AWS cannot be reached, or has failed',
  unknown: 'AWS refused or failed',
}

const SAFE_CODE = /^[\w.]{1,60}$/

export class AwsError extends Error implements CloudFailure {
  override readonly name = 'AwsError'
  readonly reason: CloudFailureReason
  declare readonly code?: string

  /** @param code Left out where it has any other form than the port allows. */
  constructor(reason: CloudFailureReason, code?: string) {
    const safe = code !== undefined && SAFE_CODE.test(code) ? code : undefined
    super(safe === undefined ? MESSAGES[reason] : `${MESSAGES[reason]} (${safe})`)
    this.reason = reason
    if (safe !== undefined) this.code = safe
  }
}

interface SdkError {
  readonly name?: unknown
  /** Of the XML. */
  readonly Code?: unknown
  /** Of the platform: `ECONNRESET`. */
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown }
  readonly $response?: { readonly statusCode?: unknown }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Of an answer that tells no code, such as a proxy's. */
function reasonByStatus(status: number): CloudFailureReason {
  if (status === 429) return 'throttled'
  return status >= 500 ? 'unavailable' : 'unknown'
}

/** Names that say nothing. */
const GENERIC_NAMES: ReadonlySet<string> = new Set(['Error', 'TypeError', 'SyntaxError', 'Unknown', 'UnknownError'])

/** @param thrown By the SDK, or by what provides credentials. */
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
  // The platform's own, such as a certificate that nobody trusts.
  return new AwsError(isText(code) ? 'unavailable' : 'unknown', shown)
}
