/** Makes the stack trace of an error begin at the line that called the kernel, instead of inside the kernel. */
import { KernelError } from '../base/errors.ts'

type Callee = (...args: never[]) => unknown
interface WithTrace {
  captureStackTrace?(target: object, below: Callee): void
}

/** Exists in V8 and in engines that imitate it. */
const { captureStackTrace } = Error as WithTrace

/** Whether an error is meant for the caller: a refusal or a wrong argument. */
const isForCaller = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/** For an error thrown while the caller's frame is on the stack: the trace begins below `callee`. */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isForCaller(error)) captureStackTrace?.(error, callee)
  return error
}

/** The beginning of the trace line of an awaiting caller. Not a regular expression, because messages may contain long texts. */
const AWAITS = '\n    at async '

/**
 * For an error after a wait: `callee` is an async function that rejects with it, and the trace begins at the line that awaits it. If the
 * caller does not await, and for all other errors, the trace stays unchanged.
 */
export function atAwaiter(error: unknown, callee: Callee): unknown {
  if (!(error instanceof KernelError) || !captureStackTrace) return error
  const { stack } = error
  captureStackTrace(error, callee)
  if (stack !== undefined && !error.stack?.includes(AWAITS)) error.stack = stack
  return error
}
