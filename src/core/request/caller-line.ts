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
const isForCaller = (error: unknown): error is Error => error instanceof KernelError || error instanceof TypeError

/** Prepares an error thrown while the caller still waits: its stack begins below `callee`. */
export function atCaller(error: unknown, callee: Callee): unknown {
  if (isForCaller(error)) captureStackTrace?.(error, callee)
  return error
}

/** How the line of a caller who awaits begins. No expression looks for it: messages may repeat a long text. */
const AWAITS = '\n    at async '

/**
 * The same for a refusal after a wait, where `callee` is an async function that rejects with it: its stack begins at the line that awaits.
 * A caller who does not await keeps the kernel's own lines, as do errors that are no refusals.
 */
export function atAwaiter(error: unknown, callee: Callee): unknown {
  if (!(error instanceof KernelError) || !captureStackTrace) return error
  const { stack } = error
  captureStackTrace(error, callee)
  if (stack !== undefined && !error.stack?.includes(AWAITS)) error.stack = stack
  return error
}
