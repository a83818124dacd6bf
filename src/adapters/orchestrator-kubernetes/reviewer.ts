/**
 * The `TokenReviewer` port over a Kubernetes API server.
 */

import { setMaxListeners } from 'node:events'
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { TokenReviewer } from '../../core/jwt/token-reviewer.ts'
import { AgentCache } from './agent-cache.ts'
import { readAnswer } from './answer.ts'
import { parseHost } from './api-server.ts'
import { exchange, type HttpMessage } from './exchange.ts'
import { TokenReviewError } from './review-error.ts'

export interface KubernetesTokenReviewerOptions {
  /** The time limit of a review in milliseconds, from the first byte to the last. Default: 10 seconds. */
  readonly timeoutMs?: OptionDuration
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Reviews with `POST <host>/apis/authentication.k8s.io/v1/tokenreviews` over TLS 1.2 or later. The server's certificate must name
 * the host and chain to one of the given certificates, or be it; without any, to one that Node trusts. Only a host that begins
 * with `http://` is called in plain text, which is for proxies on the same machine and for tests: the tokens can be read on the
 * way.
 *
 * Connections are kept for a minute and never keep the process alive. Redirects are not followed, no proxy is used, nothing is
 * written or logged.
 * @throws TypeError for an invalid time. Its `review` rejects with {@link TokenReviewError}.
 */
export function kubernetesTokenReviewer(options: KubernetesTokenReviewerOptions = {}): TokenReviewer {
  const { timeoutMs = 10_000 } = readOptions('kubernetesTokenReviewer', options, { timeoutMs: 1 })
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`kubernetesTokenReviewer: timeoutMs must be milliseconds, from 1 to ${MAX_TIMEOUT_MS}`)
  const agents = new AgentCache()
  return {
    async review({ host, caCert, bearer, token, audiences }, signal) {
      const target = parseHost(host)
      const message = buildMessage(bearer.trim(), token.trim(), audiences)
      const { status, text } = await withTimeout(timeoutMs, signal, (stop) =>
        agents.use(target.secure ? caCert : undefined, (agent) => exchange(target, agent, message, stop)),
      )
      return readAnswer(status, text)
    },
  }
}

function buildMessage(bearer: string, token: string, audiences: readonly string[]): HttpMessage {
  if (!/^[\x21-\x7e]+$/.test(bearer))
    throw new TokenReviewError(
      'reviewer-unauthorized',
      'the token that reviews cannot be sent: it is empty or holds characters no token has',
    )
  const spec = audiences.length > 0 ? { token, audiences } : { token }
  return {
    headers: {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'strongroom',
    },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec }),
  }
}

/** Aborts `work` after the time limit or by the signal. */
async function withTimeout<T>(ms: number, signal: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const end = (): void => stop.abort(new TokenReviewError('transport', 'it was called off', signal.reason))
  if (signal.aborted) end()
  // Every running review listens to the kernel's one signal, and stops when done; from eleven listeners on, Node would warn of a
  // leak.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => stop.abort(new TokenReviewError('timeout', `no whole answer within ${ms} ms`)), ms)
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
