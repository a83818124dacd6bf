import { setMaxListeners } from 'node:events'
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { TokenReviewer } from '../../core/jwt/token-reviewer.ts'
import { AgentCache } from './agent-cache.ts'
import { readAnswer } from './answer.ts'
import { parseHost } from './api-server.ts'
import { exchange, type HttpMessage } from './exchange.ts'
import { TokenReviewError } from './review-error.ts'

export interface KubernetesTokenReviewerOptions {
  /** The time limit of a review in milliseconds, including the connection and the whole answer. Default: 10 seconds. */
  readonly timeoutMs?: OptionDuration
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Returns the `TokenReviewer` port for a Kubernetes API server. It sends `POST <host>/apis/authentication.k8s.io/v1/tokenreviews` over TLS
 * 1.2 or later. The server certificate must contain the host name and chain to one of the given certificates, or be one of them. Without
 * given certificates, it must chain to a certificate that Node trusts. A host that begins with `http://` is called without encryption,
 * which exposes the tokens: use it only for proxies on the same machine and for tests.
 *
 * Connections are reused for up to a minute and never keep the process alive. Redirects are not followed and no proxy is used.
 * After a failure, `review` rejects with {@link TokenReviewError}.
 * @throws TypeError for an invalid time limit.
 */
export function kubernetesTokenReviewer(options: KubernetesTokenReviewerOptions = {}): TokenReviewer {
  const { timeoutMs = 10_000 } = readOptions('kubernetesTokenReviewer', options, { timeoutMs: 1 })
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`kubernetesTokenReviewer: timeoutMs must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`)
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
      'the reviewer token cannot be sent: it is empty or contains invalid characters',
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

/** Runs `work`, and aborts it after the time limit or when the signal is aborted. */
async function withTimeout<T>(ms: number, signal: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const end = (): void => stop.abort(new TokenReviewError('transport', 'the review was aborted', signal.reason))
  if (signal.aborted) end()
  // Every review in progress adds a listener to the kernel's signal. Without this call, Node would warn of a leak when there are more than
  // ten listeners.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => stop.abort(new TokenReviewError('timeout', `no complete answer within ${ms} ms`)), ms)
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
