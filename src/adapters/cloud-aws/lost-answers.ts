/**
 * Prevents the SDK from retrying the creation of a user or key after its answer was lost. A retry would create a second key and leave the first one
 * with an unknown secret, or would fail because the lost request has created the user.
 */
import type { Middleware } from './sdk.ts'

const CREATE_COMMANDS: ReadonlySet<string> = new Set(['CreateUserCommand', 'CreateAccessKeyCommand'])

/** With these errors the request was not sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/** Hides the original error from the SDK, which retries errors that it knows. It also inspects `cause`, so the error is stored in `lost`. */
export class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError'
  readonly lost: unknown

  constructor(lost: unknown) {
    super('the answer was lost')
    this.lost = lost
  }
}

/** Whether the request may have been sent and was not answered. */
function isLost(error: unknown): boolean {
  const { code, $metadata, $response } = (error ?? {}) as Readonly<Record<string, unknown>>
  const answered = (($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode ?? $response) !== undefined
  return !answered && !NOT_SENT.has(code)
}

export const neverRetryLostCreation: Middleware =
  (next, { commandName = '' }) =>
  async (request) => {
    try {
      return await next(request)
    } catch (error) {
      if (CREATE_COMMANDS.has(commandName) && isLost(error)) throw new LostAnswerError(error)
      throw error
    }
  }
