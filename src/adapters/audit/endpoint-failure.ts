import { AnswerEncoded, AnswerTooLong } from '../network/byte-meter.ts'
import { connectionFailure } from '../network/connection-failure.ts'

/**
 * An Error about a server that cannot be reached. Its message has only the reason; the error of the system, which may contain addresses and
 * answers, is its `cause`.
 */
export function endpointFailure(what: string, cause: unknown): Error {
  return new Error(`${what}: ${reasonOf(cause)}`, { cause })
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AnswerTooLong || cause instanceof AnswerEncoded) return cause.message
  const code = (cause as { readonly code?: unknown } | null)?.code
  return connectionFailure(cause) ?? (typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed')
}
