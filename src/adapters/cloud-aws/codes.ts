/**
 * What AWS's codes mean to the port.
 */
import type { CloudFailureReason } from '../../engines/cloud/port.ts'

/** Codes as they are in the XML; the SDK has `Exception` behind the modelled ones. */
const CODES: Readonly<Partial<Record<CloudFailureReason, readonly string[]>>> = {
  'not-found': ['NoSuchEntity'],
  throttled: [
    'BandwidthLimitExceeded',
    // The two that ask for a later attempt, of something that is changed at present: nothing was done.
    'ConcurrentModification',
    'EntityTemporarilyUnmodifiable',
    'EC2Throttled',
    'PriorRequestNotComplete',
    'ProvisionedThroughputExceeded',
    'RequestLimitExceeded',
    'RequestThrottled',
    'SlowDown',
    'Throttled',
    'Throttling',
    'TooManyRequests',
    'TransactionInProgress',
  ],
  'limit-exceeded': ['LimitExceeded'],
  'already-exists': ['EntityAlreadyExists'],
  'delete-conflict': ['DeleteConflict'],
  'access-denied': [
    'AccessDenied',
    'AuthFailure',
    'CredentialsProviderError',
    'IncompleteSignature',
    'InvalidAccessKeyId',
    'InvalidClientTokenId',
    'InvalidSignature',
    'MissingAuthenticationToken',
    'NotAuthorized',
    'OptInRequired',
    'RegionDisabled',
    'RequestExpired',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
    'UnauthorizedOperation',
    'UnrecognizedClient',
  ],
  invalid: [
    'InvalidAction',
    'InvalidInput',
    'InvalidParameter',
    'InvalidParameterCombination',
    'InvalidParameterValue',
    'InvalidUserType',
    'MalformedInput',
    'MalformedPolicyDocument',
    'MissingParameter',
    'PackedPolicyTooLarge',
    'PolicyNotAttachable',
    'UnmodifiableEntity',
    'Validation',
    'ValidationError',
  ],
  'expired-credentials': ['ExpiredToken', 'TokenRefreshRequired'],
  unavailable: [
    'AbortError',
    'EAI_AGAIN',
    'ECONNABORTED',
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTDOWN',
    'EHOSTUNREACH',
    'ENETDOWN',
    'ENETUNREACH',
    'ENOTFOUND',
    'EPIPE',
    'EPROTO',
    'ETIMEDOUT',
    'InternalError',
    'InternalFailure',
    'RequestTimeout',
    'ServiceFailure',
    'ServiceUnavailable',
    'TimeoutError',
  ],
}

const REASONS: ReadonlyMap<string, CloudFailureReason> = new Map(
  Object.entries(CODES).flatMap(([reason, codes]) => codes.map((code) => [code, reason as CloudFailureReason])),
)

const SUFFIX = 'Exception'

/** The code of the XML by the SDK's name of an error. */
export function awsCode(name: string): string {
  const short = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name
  return REASONS.has(short) ? short : name
}

export const awsReason = (code: string): CloudFailureReason | undefined => REASONS.get(awsCode(code))
