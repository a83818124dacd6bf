/**
 * Where a refusal shows in a stack: at the line that made the call, and not among our own.
 */
import { KernelError } from '../base/errors.ts'

type Callee = (...args: never[]) => unknown
interface WithTrace {
  captureStackTrace?(target: object, below: Callee): void
}

/** V8 and whoever imitates it. */
const { captureStackTrace } = Error as WithTrace

/** Whether an error is told to whoever made the call: a refusal, or wrong use. */
const isTold = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/** An error that is thrown while the caller still waits: its stack begins below `callee`. */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isTold(error)) captureStackTrace?.(error, callee)
  return error
}
