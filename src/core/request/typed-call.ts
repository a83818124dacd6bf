/** Code that all typed calls share: it parses the arguments and creates the result. */
import { KernelError, notFound } from '../base/errors.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { CallOptions } from '../contract/api.ts'
import { checkCaptures, checkSegments } from '../contract/captures.ts'
import type { AnyOperation } from '../contract/operation.ts'
import { parseTyped, releaseLent, type TypedTable, type Values } from '../field/parse.ts'
import { PathPattern } from '../field/path-pattern.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import type { ViewBinding } from './binding.ts'
import { atAwaiter } from './caller-line.ts'

export type TypedMethod = (binding: ViewBinding, args: Values, options: CallOptions) => Promise<unknown>

/**
 * Parses the arguments of a typed call. @throws the errors of {@link parseTyped}, and KernelError 404 if a value cannot be part of a path.
 */
export function parsedFor(
  { copyAbove }: ViewBinding,
  operation: AnyOperation,
  segments: readonly string[],
  table: TypedTable,
  args: Values,
): Values {
  try {
    const input = parseTyped(table, args, copyAbove)
    checkSegments(segments, input)
    return input
  } catch (error) {
    // If a value cannot be part of the path, throw that error (404) instead.
    if (error instanceof KernelError) checkCaptures(operation, args)
    throw error
  }
}

export function replyTo(
  { gate, access }: ViewBinding,
  operation: AnyOperation,
  table: TypedTable,
  input: Values,
  made: MaybePromise<OperationOutcome<Values | undefined>>,
): Promise<Values> {
  if (!(made instanceof Promise)) {
    releaseLent(table, input)
    return Promise.resolve(reply(access.path, operation, input, made))
  }
  // Do not attach other handlers to the promise that the caller gets: V8 async stack traces need a single awaiter.
  void gate.track(made)
  return answerLater(access.path, operation, table, input, made)
}

/** This function is async so that the stack trace of an error continues to the caller that awaits it. */
async function answerLater(
  at: string,
  operation: AnyOperation,
  table: TypedTable,
  input: Values,
  made: Promise<OperationOutcome<Values | undefined>>,
): Promise<Values> {
  try {
    const outcome = await made
    releaseLent(table, input)
    return reply(at, operation, input, outcome)
  } catch (error) {
    throw atAwaiter(error, answerLater)
  }
}

function reply(
  at: string,
  operation: AnyOperation,
  input: Values,
  { value, warnings }: OperationOutcome<Values | undefined>,
): Values {
  if (value === undefined && operation.verb === 'GET') throw nothingAt(at, operation, input)
  if (!warnings?.length) return value ?? {}
  return { ...value, warnings }
}

/** The error contains the path, like the error of a call by path. */
const nothingAt = (mount: string, { path }: AnyOperation, input: Values): KernelError =>
  notFound(`nothing exists at ${mount}${PathPattern.of(path).fill(input, {})}`)
