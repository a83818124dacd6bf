import type { CloudFailureReason } from '../../engines/cloud/port.ts'

/**
 * The error codes of AWS for each failure reason of the port, as AWS's XML answers spell them. For errors that the SDK knows, its error
 * name is the code with the suffix `Exception`.
 */
const CODES: Readonly<Partial<Record<CloudFailureReason, readonly string[]>>> = {
  'not-found': ['NoSuchEntity'],
  throttled: [
    'BandwidthLimitExceeded',
    // ConcurrentModification and EntityTemporarilyUnmodifiable mean that another request is changing the object and that the call was not
    // executed. So a later attempt may succeed.
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

/** Converts the SDK's name of an error to the code in AWS's XML answer. Returns names of unknown errors unchanged. */
export function awsCode(name: string): string {
  const short = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name
  return REASONS.has(short) ? short : name
}

export const awsReason = (code: string): CloudFailureReason | undefined => REASONS.get(awsCode(code))
