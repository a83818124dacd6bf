/** The SDK client of a session: created at first use, shared by concurrent calls, and destroyed when the session closes. */
import { type SyncError, syncError } from './sync-error.ts'
import { untilAborted } from './until-aborted.ts'

export interface ClientParts<T> {
  make(): Promise<T>
  /** Closes the client's connections. */
  destroy(made: T): Promise<void> | void
  failureOf(error: unknown): SyncError
  /** The credentials. An error code that is a part of a credential is dropped. */
  secrets(): readonly string[]
}

/** Shorter secrets are not searched for in error codes, because they may occur in any word. */
const MIN_ECHO_CHARACTERS = 4

/** Removes an error code that could reveal a secret: the server chooses its error codes, so it could return a secret as a code. */
function withoutEcho(failure: SyncError, secrets: readonly (string | undefined)[]): SyncError {
  const { kind, code, retryAfterMs } = failure
  const echo =
    code !== undefined &&
    secrets.some((secret) => secret && (secret.includes(code) || (secret.length >= MIN_ECHO_CHARACTERS && code.includes(secret))))
  return echo ? syncError(kind, undefined, retryAfterMs) : failure
}

export class SessionClient<T> {
  readonly #parts: ClientParts<T>
  readonly #underWay = new Set<AbortController>()
  #made: Promise<T> | undefined
  #closed: Promise<void> | undefined

  constructor(parts: ClientParts<T>) {
    this.#parts = parts
  }

  /**
   * Runs `work`, which is aborted by the signal or when the session closes.
   * @param value The secret that the call sends.
   * @throws SyncError
   */
  async use<R>(signal: AbortSignal, work: (made: T, own: AbortSignal) => Promise<R>, value?: string): Promise<R> {
    if (this.#closed) throw syncError('internal', 'closed')
    const both = new AbortController()
    const end = (): void => both.abort()
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    this.#underWay.add(both)
    try {
      return await untilAborted(both.signal, async (own) => work(await this.#get(), own))
    } catch (error) {
      // Abort an unfinished response, because an SDK that rejects a response may leave its connection open.
      end()
      throw withoutEcho(this.#parts.failureOf(error), [...this.#parts.secrets(), value])
    } finally {
      signal.removeEventListener('abort', end)
      this.#underWay.delete(both)
    }
  }

  /** Creates the client. After a failure, the next use tries again. */
  #get(): Promise<T> {
    this.#made ??= this.#parts.make().catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  close(): Promise<void> {
    if (this.#closed) return this.#closed
    const made = this.#made
    this.#closed = made ? made.then(this.#parts.destroy, () => undefined) : Promise.resolve()
    for (const call of this.#underWay) call.abort()
    return this.#closed
  }
}
