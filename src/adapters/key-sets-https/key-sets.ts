/**
 * The `KeySetFetcher` port over Node's HTTP client.
 */
import { type Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createSecureContext } from 'node:tls'
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { readOptions } from '../../core/base/options.ts'
import type { KeySetFetcher } from '../../core/jwt/key-set-fetcher.ts'
import { checkSubjectNames } from '../network/check-subject-names.ts'
import { meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'

export interface HttpsKeySetsOptions {
  /** The time limit of a fetch in milliseconds, including the connection and the whole answer. Default: 10,000. */
  readonly timeoutMs?: number
}

const MAX_MS = 2 ** 31 - 1

/** The maximum size of an answer in bytes, including its headers. The kernel itself accepts at most 262,144 characters. */
const MAX_BYTES = 524_288

/**
 * Returns the `KeySetFetcher` port. It sends `GET` requests over TLS 1.2 or later. The server's certificate must name the host. It must
 * chain to one of the given certificates, or be one of them. Without given certificates, it must chain to a certificate that Node trusts.
 *
 * A URL that begins with `http://` is called without encryption. An attacker who changes the answer on the network can then log in as any
 * user, so use such URLs only within one machine.
 *
 * Any status except 200 is a failure. Redirects are not followed, no proxy is used, no connection is kept, and nothing is written or
 * logged. After a failure, `fetch` rejects with an Error whose message contains no part of the answer.
 * @throws TypeError for an invalid time limit.
 */
export function httpsKeySets(options: HttpsKeySetsOptions = {}): KeySetFetcher {
  const { timeoutMs = 10_000 } = readOptions('httpsKeySets', options, { timeoutMs: 1 })
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_MS))
    throw new TypeError(`httpsKeySets: timeoutMs must be a number of milliseconds from 1 to ${MAX_MS}`)
  return {
    async fetch({ url, caCert }, signal) {
      const agent = agentFor(new URL(url), caCert)
      try {
        return await get(url, agent, combinedSignal(signal, AbortSignal.timeout(timeoutMs)))
      } finally {
        agent.destroy()
      }
    },
  }
}

function agentFor({ protocol }: URL, caCert: string | null): HttpAgent {
  if (protocol === 'http:') return meteredHttpAgent(MAX_BYTES, {})
  if (protocol !== 'https:') throw new TypeError('httpsKeySets: the url must begin with https or http')
  // Set the options explicitly, so that settings of the process (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0) cannot weaken TLS.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(caCert !== null && { ca: caCert, allowPartialTrustChain: true }),
  })
  const checks = { rejectUnauthorized: true, checkServerIdentity: checkSubjectNames, maxCachedSessions: 0 }
  return meteredHttpsAgent(MAX_BYTES, { secureContext, ...checks })
}

function get(url: string, agent: HttpAgent, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'application/json, application/jwk-set+json', 'User-Agent': 'strongroom' }
    const options: RequestOptions = { method: 'GET', headers, agent, signal }
    const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options)
    request.on('error', reject)
    request.on('close', () => reject(new Error('httpsKeySets: the connection ended without an answer')))
    request.on('response', (response) => read(response).then(resolve, reject))
    request.end()
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const { statusCode } = response
  if (statusCode !== 200) {
    response.destroy()
    throw new Error(`httpsKeySets: the server answered ${statusCode}`)
  }
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
