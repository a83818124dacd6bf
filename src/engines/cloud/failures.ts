import { KernelError } from '../../core/base/errors.ts'
import { NotApplied, PossiblyApplied } from '../../core/contract/effect.ts'
import { type ClassifiedFailure, classifyFailure, messageWithCode } from '../credentials/failures.ts'
import { recoveryError } from '../credentials/intents.ts'
import { CLOUD_FAILURES, type CloudFailureReason } from './port.ts'

type CloudFailureKind = ClassifiedFailure<CloudFailureReason>['reason']

const KINDS = { reasons: CLOUD_FAILURES, otherReason: 'unknown', safeCode: /^[\w.]{1,60}$/ } as const

const MESSAGES: Readonly<Record<CloudFailureKind, string>> = {
  'not-found': 'the object does not exist in the cloud',
  throttled: 'the cloud throttles requests',
  'limit-exceeded': 'a limit of the cloud is reached',
  'already-exists': 'the object already exists in the cloud',
  'delete-conflict': 'other objects in the cloud depend on this one',
  'access-denied': 'the cloud refused the credentials of the root configuration, or they lack the permission',
  invalid: 'the cloud refused the parameters',
  'expired-credentials': 'the credentials of the root configuration have expired',
  unavailable: 'the cloud cannot be reached or has failed',
  unknown: 'the call failed for an unknown reason',
  timeout: 'the cloud did not answer in time',
}

/** A failed call to the cloud. */
export class CloudError extends Error {
  override readonly name = 'CloudError'
  readonly reason: CloudFailureKind
  /** The error to throw to the caller of the kernel, with status 502. */
  readonly refusal: KernelError

  /**
   * @param step The method of the port, such as `createUser`.
   * @param cause Anything that a provider threw.
   */
  constructor(step: string, cause: unknown) {
    const { reason, code } = classifyFailure(cause, KINDS)
    const refusal = new KernelError('ERR_UPSTREAM', messageWithCode(`${step}: ${MESSAGES[reason]}`, code))
    super(refusal.message, { cause })
    this.reason = reason
    this.refusal = refusal
  }
}

/** Returns the reason of a failed call to the cloud; undefined for any other error. */
export const reasonOf = (thrown: unknown): CloudFailureKind | undefined =>
  thrown instanceof CloudError ? thrown.reason : undefined

/** Whether the cloud refused the call, so that it certainly changed nothing. */
export function isCloudRefusal(thrown: unknown): thrown is CloudError {
  const reason = reasonOf(thrown)
  return reason !== undefined && reason !== 'unavailable' && reason !== 'unknown' && reason !== 'timeout'
}

/** Ignores `not-found`: another process, or an earlier call whose answer was lost, may have deleted the object. */
export const ignoreMissing = (asked: Promise<void>): Promise<void> =>
  asked.catch((thrown) => {
    if (reasonOf(thrown) !== 'not-found') throw thrown
  })

/** Returns the error for the caller of the kernel if the call failed, and any other thrown value unchanged. */
export const toKernelError = (thrown: unknown): unknown => (thrown instanceof CloudError ? thrown.refusal : recoveryError(thrown))

/** Returns the error of an effect that has changed nothing if a call failed, and any other thrown value unchanged. */
export const toNotApplied = (thrown: unknown): unknown => (thrown instanceof CloudError ? new NotApplied(thrown.refusal) : thrown)

/** Returns the error of an effect that may have been applied if a call failed, and any other thrown value unchanged. */
export const toPossiblyApplied = (thrown: unknown): unknown =>
  thrown instanceof CloudError ? new PossiblyApplied(thrown.refusal) : thrown
