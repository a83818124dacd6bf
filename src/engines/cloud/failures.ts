/**
 * Translates failures of cloud providers to kernel errors. Messages of the cloud may contain names of accounts and keys, so a kernel error
 * contains only a fixed message and the cloud's code.
 */
import { NoAnswer } from '../../core/base/deadline.ts'
import { KernelError } from '../../core/base/errors.ts'
import { CLOUD_FAILURES, type CloudFailureReason } from './port.ts'

export interface ClassifiedCloudFailure {
  /** `timeout` means that the kernel aborted the call at its deadline. */
  readonly reason: CloudFailureReason | 'timeout'
  readonly code: string | undefined
}

const SAFE_CODE = /^[\w.]{1,60}$/

/** @param thrown Anything that a provider threw. */
export function classifyCloudFailure(thrown: unknown): ClassifiedCloudFailure {
  if (thrown instanceof NoAnswer) return { reason: 'timeout', code: undefined }
  const { reason, code } = (thrown ?? {}) as Readonly<Record<string, unknown>>
  return {
    reason: CLOUD_FAILURES.find((each) => each === reason) ?? 'unknown',
    code: typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined,
  }
}

const MESSAGES: Readonly<Record<ClassifiedCloudFailure['reason'], string>> = {
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

/** Whether the cloud refused the call, so that it certainly changed nothing. */
export const isCloudRefusal = ({ reason }: ClassifiedCloudFailure): boolean =>
  reason !== 'unavailable' && reason !== 'unknown' && reason !== 'timeout'

/** @param step The method of the port, such as `createUser`. */
export function cloudKernelError({ reason, code }: ClassifiedCloudFailure, step: string): KernelError {
  const words = `${step}: ${MESSAGES[reason]}`
  return new KernelError('ERR_UPSTREAM', code === undefined ? words : `${words} (${code})`)
}
