/**
 * Classification of the failures of outside systems. Their messages may contain secrets, so a kernel error contains only a fixed message and
 * the code of the outside system.
 */
import { NoAnswer } from '../../core/base/deadline.ts'

/** How the failures of one kind of outside system are recognized. */
export interface FailureKinds<R extends string> {
  readonly reasons: readonly R[]
  /** The reason of a failure that has none of the reasons. */
  readonly otherReason: R
  /** The codes that users may see. */
  readonly safeCode: RegExp
}

export interface ClassifiedFailure<R extends string> {
  /** `timeout` means that the kernel aborted the call at its deadline. */
  readonly reason: R | 'timeout'
  /** The outside system's own code. */
  readonly code: string | undefined
}

/** @param thrown Anything that an adapter threw. */
export function classifyFailure<R extends string>(thrown: unknown, kinds: FailureKinds<R>): ClassifiedFailure<R> {
  if (thrown instanceof NoAnswer) return { reason: 'timeout', code: undefined }
  const { reason, code } = (thrown ?? {}) as Readonly<Record<string, unknown>>
  return {
    reason: kinds.reasons.find((each) => each === reason) ?? kinds.otherReason,
    code: typeof code === 'string' && kinds.safeCode.test(code) ? code : undefined,
  }
}

export const messageWithCode = (message: string, code: string | undefined): string =>
  code === undefined ? message : `${message} (${code})`
