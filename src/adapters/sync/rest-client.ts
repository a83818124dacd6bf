/** A JSON client on `fetch`, with a limit on the size of responses. Every call ends when its signal is aborted. */
import { jsonText } from '../../core/json/json-text.ts'
import { parseResponse, type RestResponse, readResponseBytes } from './rest-response.ts'
import { SyncError, syncError } from './sync-error.ts'
import { untilAborted } from './until-aborted.ts'

export type Fetch = typeof globalThis.fetch

export interface RestCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the endpoint, with encoded segments. */
  readonly path: string
  /** Undefined and empty values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}

export interface RestOptions {
  readonly endpoint: URL
  /** If undefined, each call uses the current global `fetch`. */
  readonly fetch: Fetch | undefined
  readonly token: string
  /** Headers in addition to those that every call has. */
  readonly headers: Readonly<Record<string, string>>
  readonly maxResponseBytes: number
}

export class RestClient {
  readonly #options: RestOptions
  readonly #base: string
  /** The controllers of the calls in progress. */
  readonly #open = new Set<AbortController>()
  #closed = false

  constructor(options: RestOptions) {
    this.#options = options
    this.#base = `${options.endpoint.origin}${options.endpoint.pathname.replace(/\/+$/, '')}`
  }

  /**
   * @throws SyncError if no response arrives, if the response is a redirect, or if the body of a successful response is too long or cannot
   * be read.
   */
  async send(call: RestCall, signal: AbortSignal): Promise<RestResponse> {
    if (this.#closed) throw syncError('internal', 'closed')
    const both = new AbortController()
    const end = (): void => both.abort()
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    this.#open.add(both)
    try {
      return await untilAborted(both.signal, (own) => this.#exchange(call, own))
    } catch (error) {
      // Closes the connection if the response has not ended.
      end()
      throw error instanceof SyncError ? error : syncError('external', codeOfPlatform(error))
    } finally {
      signal.removeEventListener('abort', end)
      this.#open.delete(both)
    }
  }

  /** Aborts calls in progress. */
  close(): void {
    this.#closed = true
    for (const call of this.#open) call.abort()
  }

  async #exchange({ method, path, query = {}, body }: RestCall, signal: AbortSignal): Promise<RestResponse> {
    const { fetch = globalThis.fetch, token, headers, maxResponseBytes: longest } = this.#options
    const url = new URL(`${this.#base}${path}`)
    for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value)
    const response = await fetch(url.href, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'strongroom',
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: jsonText(body) }),
      // Do not follow redirects: another host must not receive the token or the value.
      redirect: 'manual',
      signal,
    })
    const { status } = response
    if ((status >= 300 && status < 400) || response.redirected || response.type === 'opaqueredirect') {
      response.body?.cancel().catch(() => {})
      throw syncError('client', 'redirected')
    }
    const good = status >= 200 && status < 300
    const bytes = await readResponseBytes(response.body, longest).catch((error: unknown) => {
      // If the body of an error response cannot be read, its status is still used.
      if (good) throw error
      return undefined
    })
    if (!bytes && good) throw syncError('external', 'answer_too_long')
    return { status, headers: response.headers, body: bytes && (await parseResponse(bytes)) }
  }
}

/** The error code of the platform. `fetch` throws the same error for all connection failures, and the code is in its cause. */
function codeOfPlatform(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return typeof code === 'string' ? code : ((cause ?? {}) as { readonly code?: unknown }).code
}
