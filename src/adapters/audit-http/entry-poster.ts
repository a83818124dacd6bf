import { createHash } from 'node:crypto'
import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { ClientTls } from '../audit/client-tls.ts'
import { endpointFailure } from '../audit/endpoint-failure.ts'
import { meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'

/** The maximum size of an answer in bytes, including its headers. Its content is not used. */
const MAX_ANSWER_BYTES = 65_536

/** How the end of a kept connection appears to a request that was sent at the same moment. */
const ENDED = new Set(['ECONNRESET', 'EPIPE'])

/** Sends batches of entries over one kept connection. */
export class EntryPoster {
  readonly #what: string
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #tls: ClientTls
  #agent: HttpAgent | undefined

  /** @param what The public function that made the sink, for messages. */
  constructor(what: string, url: URL, headers: Readonly<Record<string, string>>, tls: ClientTls) {
    this.#what = what
    this.#url = url
    this.#headers = headers
    this.#tls = tls
  }

  /** @throws Error for any answer other than a status from 200 to 299. Its message contains no part of the answer. */
  async post(batch: readonly Buffer[], signal: AbortSignal): Promise<void> {
    const body = Buffer.concat(batch)
    const key = createHash('sha256').update(body).digest('hex')
    const status = await this.#send(body, key, signal, true)
    if (status < 200 || status > 299) throw new Error(`${this.#what}: the server answered ${status}`)
  }

  close(): void {
    this.#agent?.destroy()
    this.#agent = undefined
  }

  async #send(body: Buffer, key: string, signal: AbortSignal, mayRepeat: boolean): Promise<number> {
    let request: ClientRequest | undefined
    let hasAnswer = false
    try {
      return await new Promise((resolve, reject) => {
        request = this.#request(body.length, key, signal)
        request.on('error', reject)
        request.on('close', () => hasAnswer || reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })))
        request.on('response', (response) => {
          hasAnswer = true
          statusOf(response).then(resolve, reject)
        })
        request.end(body)
      })
    } catch (cause) {
      request?.destroy()
      if (signal.aborted) throw signal.reason
      const { code } = cause as NodeJS.ErrnoException
      const isStale = request?.reusedSocket === true && !hasAnswer && ENDED.has(code ?? '')
      if (mayRepeat && isStale) return await this.#send(body, key, signal, false)
      throw endpointFailure(this.#what, cause)
    }
  }

  #request(length: number, key: string, signal: AbortSignal): ClientRequest {
    const isTls = this.#url.protocol === 'https:'
    const settings = { keepAlive: true, maxSockets: 1 }
    this.#agent ??= isTls
      ? meteredHttpsAgent(MAX_ANSWER_BYTES, { ...settings, ...this.#tls, maxCachedSessions: 0 })
      : meteredHttpAgent(MAX_ANSWER_BYTES, settings)
    const headers = {
      ...this.#headers,
      'Content-Type': 'application/x-ndjson',
      'Content-Length': length,
      'Idempotency-Key': `"${key}"`,
    }
    const options: RequestOptions = { method: 'POST', headers, agent: this.#agent, signal }
    return isTls ? requestHttps(this.#url, options) : requestHttp(this.#url, options)
  }
}

/** Reads the whole answer, because the connection is used again. */
async function statusOf(response: IncomingMessage): Promise<number> {
  for await (const _ of response) {
    // The content is not used.
  }
  return response.statusCode as number
}
