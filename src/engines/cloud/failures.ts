/**
 * What clouds answer, as the kernel says it: the cloud's code and words of our own, nothing of its text.
 */
import { NoAnswer } from '../../core/base/deadline.ts'
import { KernelError } from '../../core/base/errors.ts'
import { CLOUD_FAILURES, type CloudFailureReason } from './port.ts'

export interface ClassifiedCloudFailure {
  /** `timeout` is the kernel's own: the call was given up at its deadline. */
  readonly reason: CloudFailureReason | 'timeout'
  readonly code: string | undefined
}

const SAFE_CODE = /^[\w.]{1,60}$/

/** Anything that a provider throws. */
export function classifyCloudFailure(thrown: unknown): ClassifiedCloudFailure {
  if (thrown instanceof NoAnswer) return { reason: 'timeout', code: undefined }
  const { reason, code } = (thrown ?? {}) as Readonly<Record<string, unknown>>
  return {
    reason: CLOUD_FAILURES.find((each) => each === reason) ?? 'unknown',
    code: typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined,
  }
}

const MESSAGES: Readonly<Record<ClassifiedCloudFailure['reason'], string>> = {
  'not-found': 'what it is about does not exist there',
  throttled: 'the cloud asks for fewer requests',
  'limit-exceeded': 'a limit of the cloud is reached',
  'already-exists': 'it exists there already',
  'delete-conflict': 'something else there depends on it',
  'access-denied': 'the cloud refused the credentials of the configuration, or they may not do this',
  invalid: 'the cloud does not take this',
  'expired-credentials': 'the credentials of the configuration have expired',
  unavailable: 'the cloud cannot be reached, or has failed',
  unknown: 'the cloud refused or failed',
  timeout: 'the cloud did not answer in time',
}

/** The cloud has refused: nothing holds of the one call that was made. */
export const isCloudRefusal = ({ reason }: ClassifiedCloudFailure): boolean =>
  reason !== 'unavailable' && reason !== 'unknown' && reason !== 'timeout'

/** @param step What was asked, as the port calls it: `createUser`. */
export function cloudKernelError({ reason, code }: ClassifiedCloudFailure, step: string): KernelError {
  const words = `${step}: ${MESSAGES[reason]}`
  return new KernelError('ERR_UPSTREAM', code === undefined ? words : `${words} (${code})`)
}
