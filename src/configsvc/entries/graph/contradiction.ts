import { type ErrorCode, KernelError } from '../../../core/base/errors.ts'
import type { RequiredAccess } from '../kind.ts'

/**
 * The error (400) for a change that contradicts other entries. Its message mentions those entries; a caller that may not read all of them
 * gets a neutral message.
 */
export class Contradiction extends KernelError {
  readonly #mentions: readonly RequiredAccess[]

  constructor(message: string, tellsOf: readonly RequiredAccess[], code: ErrorCode = 'ERR_INVALID_REQUEST') {
    super(code, message)
    this.#mentions = tellsOf
  }

  /** Returns the full message, or the neutral one if `mayRead` is false for any entry that the full message mentions. */
  textFor(mayRead: (access: RequiredAccess) => boolean): string {
    return this.#mentions.every(mayRead)
      ? this.message
      : 'the change contradicts entries of other services, which this token may not read'
  }
}

/** @param services The services whose entries the message mentions. */
export const contradiction = (message: string, services: readonly string[]): Contradiction =>
  new Contradiction(
    message,
    services.map((segment) => ({ permission: 'service:read', segment })),
  )
