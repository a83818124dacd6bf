import { X509Certificate } from 'node:crypto'
import type { Agent as HttpAgent } from 'node:http'
import { createSecureContext } from 'node:tls'
import { checkSubjectNames } from '../network/check-subject-names.ts'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import { TokenReviewError } from './review-error.ts'

/** The CA certificates that a connection trusts: PEM, or null for those of the platform. Undefined for connections without TLS. */
export type Trust = string | null | undefined

interface CachedAgent {
  readonly agent: HttpAgent
  users: number
  /** Whether the agent was evicted from the cache and must be destroyed after its last use. */
  dropped: boolean
}

/** The maximum number of agents. It bounds memory if the certificates change often. An agent without connections is small. */
const MAX_AGENTS = 32
/** The maximum number of connections per host. Further reviews wait for a connection, within their time limits. */
const MAX_CONNECTIONS = 64
const MAX_IDLE_CONNECTIONS = 8
const IDLE_MS = 60_000

/**
 * Keep-alive HTTP agents, one per {@link Trust}, so that a connection is never reused after the trusted certificates have changed. Idle connections
 * do not keep the process alive, and are closed after a minute.
 */
export class AgentCache {
  /** In the order of use: the most recently used agent is the last. */
  readonly #kept = new Map<Trust, CachedAgent>()

  /** @throws TokenReviewError `transport` if none of the certificates can be parsed. */
  async use<T>(trust: Trust, work: (agent: HttpAgent) => Promise<T>): Promise<T> {
    const kept = this.#take(trust)
    kept.users++
    try {
      return await work(kept.agent)
    } finally {
      kept.users--
      destroyIfUnused(kept)
    }
  }

  #take(trust: Trust): CachedAgent {
    const kept = this.#kept.get(trust) ?? { agent: makeAgent(trust), users: 0, dropped: false }
    this.#kept.delete(trust)
    this.#kept.set(trust, kept)
    const [oldest] = this.#kept
    if (oldest && this.#kept.size > MAX_AGENTS) {
      this.#kept.delete(oldest[0])
      oldest[1].dropped = true
      destroyIfUnused(oldest[1])
    }
    return kept
  }
}

/** Closes idle connections. Called after a reused connection turned out to be closed, because the others may be closed, too. */
export function endIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

function destroyIfUnused({ agent, users, dropped }: CachedAgent): void {
  if (dropped && users === 0) agent.destroy()
}

function makeAgent(trust: Trust): HttpAgent {
  const keeping = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: IDLE_MS }
  if (trust === undefined) return meteredHttpAgent(MAX_HTTP_ANSWER_BYTES, keeping)
  // Set the options explicitly, so that settings of the process (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0) cannot weaken TLS.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    // The trusted certificate may be the server certificate itself, or an intermediate one.
    ...(trust !== null && { ca: readCertificates(trust), allowPartialTrustChain: true }),
  })
  // Node does not verify the certificate of a resumed session, so sessions are not cached.
  return meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, {
    ...keeping,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkSubjectNames,
    maxCachedSessions: 0,
  })
}

/** Never returns an empty list, because for an empty list Node would trust the platform's certificates. */
function readCertificates(pem: string): string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)?.filter(isCertificate) ?? []
  if (found.length > 0) return found
  throw new TokenReviewError('transport', 'none of the configured CA certificates of the API server can be parsed')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
