/** Thrown if a migration cannot continue. Its message contains neither a secret, nor a token, nor text of a server. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  /** The HTTP status of the answer that caused the error; undefined if there was no answer. */
  readonly status: number | undefined

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === undefined || [412, 429, 502, 503, 504].includes(this.status)
  }
}

const ACCEPTED = new Set([200, 204, 404])

/** @throws MigrationError if the status is not 200, 204 or 404. */
export function checkStatus(side: string, method: string, path: string, status: number): void {
  if (!ACCEPTED.has(status))
    throw new MigrationError(`${side} answered ${status} to ${method} ${decodeURIComponent(path)}`, status)
}
