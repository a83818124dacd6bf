/**
 * Refusals of changes that entries of other services contradict.
 */
import { type ErrorCode, KernelError } from '../../../core/base/errors.ts'
import type { RequiredAccess } from '../kind.ts'

/** A refusal (400) whose text mentions entries. Callers that may not read all of them get another text. */
export class Contradiction extends KernelError {
  readonly #mentions: readonly RequiredAccess[]

  constructor(message: string, tellsOf: readonly RequiredAccess[], code: ErrorCode = 'ERR_INVALID_REQUEST') {
    super(code, message)
    this.#mentions = tellsOf
  }

  /** The text, or a neutral one if `mayRead` is false for any entry that the text mentions. */
  textFor(mayRead: (access: RequiredAccess) => boolean): string {
    return this.#mentions.every(mayRead)
      ? this.message
      : 'the change contradicts entries of other services, which this token may not read'
  }
}

/** @param services Those whose entries the message tells of. */
export const contradiction = (message: string, services: readonly string[]): Contradiction =>
  new Contradiction(
    message,
    services.map((segment) => ({ permission: 'service:read', segment })),
  )
