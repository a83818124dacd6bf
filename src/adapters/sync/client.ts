/**
 * The client of a session: made when it is first needed, once, used by many calls at a time, and given back.
 */
import { type SyncError, syncError } from './sync-error.ts'
import { untilAborted } from './until-aborted.ts'

export interface ClientParts<T> {
  make(): Promise<T>
  /** Ends its connections. */
  destroy(made: T): Promise<void> | void
  failureOf(error: unknown): SyncError
  /** What was configured and no code of a failure may be a piece of. */
  secrets(): readonly string[]
}

/** Shorter ones are in any word. */
const MIN_ECHO_CHARACTERS = 4

/** A store chooses its codes, and could choose what it was sent. */
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
   * Runs `work`, which ends with the signal and with the session.
   * @param value The secret that it sends.
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
      // Ends connections whose answers have not ended; an SDK that refuses an answer may leave them.
      end()
      throw withoutEcho(this.#parts.failureOf(error), [...this.#parts.secrets(), value])
    } finally {
      signal.removeEventListener('abort', end)
      this.#underWay.delete(both)
    }
  }

  /** What failed to be made is made anew at the next use. */
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
