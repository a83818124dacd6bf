/**
 * Moves a refusal's stack trace to the line that made the call, instead of the kernel's own.
 */
import { KernelError } from '../base/errors.ts'

type Callee = (...args: never[]) => unknown
interface WithTrace {
  captureStackTrace?(target: object, below: Callee): void
}

/** Exists in V8 and engines that imitate it. */
const { captureStackTrace } = Error as WithTrace

/** Whether an error is meant for the caller: a refusal, or wrong use. */
const isTold = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/** Prepares an error thrown while the caller still waits: its stack begins below `callee`. */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isTold(error)) captureStackTrace?.(error, callee)
  return error
}
