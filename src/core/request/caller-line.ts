/** Changes the stack trace of an error so that it begins at the application's line that called the kernel, instead of inside the kernel. */
import { KernelError } from '../base/errors.ts'

type Callee = (...args: never[]) => unknown
interface WithTrace {
  captureStackTrace?(target: object, below: Callee): void
}

/** A function of V8; undefined in other JavaScript engines that lack it. */
const { captureStackTrace } = Error as WithTrace

/** Whether the error reports a refusal or a wrong argument. Such errors are caused by the caller. */
const isForCaller = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/**
 * Changes the trace of an error that is thrown before the call returns. The trace then begins at the line that called `callee`. Returns the
 * error.
 */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isForCaller(error)) captureStackTrace?.(error, callee)
  return error
}

/**
 * The beginning of a trace line of an awaiting caller. Searched as a string instead of a regular expression, because messages may be long.
 */
const AWAITS = '\n    at async '

/**
 * Changes the trace of an error with which the promise of a call rejects. The trace then begins at the line that awaits `callee`, the async
 * function that rejects. If no caller awaits `callee`, or if the error is not a `KernelError`, the trace stays unchanged. Returns the
 * error.
 */
export function atAwaiter(error: unknown, callee: Callee): unknown {
  if (!(error instanceof KernelError) || !captureStackTrace) return error
  const { stack } = error
  captureStackTrace(error, callee)
  if (stack !== undefined && !error.stack?.includes(AWAITS)) error.stack = stack
  return error
}
