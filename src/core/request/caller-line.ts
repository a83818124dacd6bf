/** Changes the stack trace of an error so that it begins at the application's line that called the kernel, instead of inside the kernel. */
import { KernelError } from '../base/errors.ts'

type Callee = (...args: never[]) => unknown
interface WithTrace {
  captureStackTrace?(target: object, below: Callee): void
}

/** Undefined in engines that lack this function of V8. */
const { captureStackTrace } = Error as WithTrace

/** Whether the error reports a refusal or a wrong argument. Such errors are caused by the caller. */
const isForCaller = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/** For an error that is thrown before the call returns: the trace begins at the caller of `callee`. */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isForCaller(error)) captureStackTrace?.(error, callee)
  return error
}

/**
 * The beginning of a trace line of an awaiting caller. Searched as a string instead of a regular expression, because messages may be long.
 */
const AWAITS = '\n    at async '

/**
 * For an error that is thrown after the call returned a promise. `callee` is the async function that rejects with the error; the trace
 * begins at the line that awaits it. If no caller awaits the function, and for errors that are not a `KernelError`, the trace stays unchanged.
 */
export function atAwaiter(error: unknown, callee: Callee): unknown {
  if (!(error instanceof KernelError) || !captureStackTrace) return error
  const { stack } = error
  captureStackTrace(error, callee)
  if (stack !== undefined && !error.stack?.includes(AWAITS)) error.stack = stack
  return error
}
