/**
 * Prevents the SDK from retrying the creation of a user or key after the answer was lost. If the lost request took effect, a retry would
 * create a second key and leave the first key with an unknown secret, or would fail because the user exists.
 */
import type { Middleware } from './sdk.ts'

const CREATE_COMMANDS: ReadonlySet<string> = new Set(['CreateUserCommand', 'CreateAccessKeyCommand'])

/** Errors after which the request is known not to have been sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/**
 * Hides the original error from the SDK, which retries errors that it recognizes. The SDK also inspects `cause`, so the original error is
 * stored in `lost`.
 */
export class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError'
  readonly lost: unknown

  constructor(lost: unknown) {
    super('the answer was lost')
    this.lost = lost
  }
}

/** Whether the request may have been sent but was not answered. */
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
