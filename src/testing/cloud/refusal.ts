import type { CloudFailureReason } from '../../engines/cloud/port.ts'

interface Meaning {
  readonly status: number
  readonly reason: CloudFailureReason
}

/** Maps each AWS error code to its HTTP status and to the failure reason of the cloud provider port. */
const CODES: Readonly<Record<string, Meaning>> = {
  AccessDenied: { status: 403, reason: 'access-denied' },
  DeleteConflict: { status: 409, reason: 'delete-conflict' },
  EntityAlreadyExists: { status: 409, reason: 'already-exists' },
  ExpiredToken: { status: 403, reason: 'expired-credentials' },
  IncompleteSignature: { status: 403, reason: 'access-denied' },
  InvalidAction: { status: 400, reason: 'invalid' },
  InvalidClientTokenId: { status: 403, reason: 'access-denied' },
  InvalidInput: { status: 400, reason: 'invalid' },
  LimitExceeded: { status: 409, reason: 'limit-exceeded' },
  MalformedPolicyDocument: { status: 400, reason: 'invalid' },
  MissingAuthenticationToken: { status: 403, reason: 'access-denied' },
  NoSuchEntity: { status: 404, reason: 'not-found' },
  PackedPolicyTooLarge: { status: 400, reason: 'invalid' },
  RegionDisabledException: { status: 403, reason: 'access-denied' },
  RequestExpired: { status: 400, reason: 'access-denied' },
  RequestLimitExceeded: { status: 503, reason: 'throttled' },
  ServiceFailure: { status: 500, reason: 'unavailable' },
  ServiceUnavailable: { status: 503, reason: 'unavailable' },
  SignatureDoesNotMatch: { status: 403, reason: 'access-denied' },
  Throttling: { status: 400, reason: 'throttled' },
  ValidationError: { status: 400, reason: 'invalid' },
}

export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal'
  readonly code: string
  readonly status: number
  readonly reason: CloudFailureReason

  constructor(code: string, message: string = code) {
    super(message)
    const { status, reason } = (Object.hasOwn(CODES, code) && CODES[code]) || { status: 400, reason: 'unknown' as const }
    this.code = code
    this.status = status
    this.reason = reason
  }
}

export const noSuchUser = (name: string): AwsRefusal =>
  new AwsRefusal('NoSuchEntity', `The user with name ${name} cannot be found.`)
