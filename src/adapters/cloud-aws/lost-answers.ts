/**
 * Keeps the SDK from repeating what makes something, once the answer is lost: a second key would be one that nobody knows, and a second
 * user is refused as if somebody else had it.
 */
import type { Middleware } from './sdk.ts'

const CREATE_COMMANDS: ReadonlySet<string> = new Set(['CreateUserCommand', 'CreateAccessKeyCommand'])

/** The request never left. */
const NOT_SENT: ReadonlySet<unknown> = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/** No error that the SDK knows, and so one that it does not repeat. It looks into a `cause`, too. */
export class LostAnswerError extends Error {
  override readonly name = 'Unrepeated'
  readonly lost: unknown

  constructor(lost: unknown) {
    super('the answer is lost')
    this.lost = lost
  }
}

/** Whether there was a connection and no answer. */
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
