/** Keep-alive connections, separate for every set of certificates. */
import { X509Certificate } from 'node:crypto'
import type { Agent as HttpAgent } from 'node:http'
import { createSecureContext } from 'node:tls'
import { checkSubjectNames } from '../network/check-subject-names.ts'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import { TokenReviewError } from './review-error.ts'

/** The certificates that a connection trusts: PEM, or null for those of the platform; undefined over http, which has none. */
export type Trust = string | null | undefined

interface CachedAgent {
  readonly agent: HttpAgent
  users: number
  /** Evicted: it is closed when its last user is done. */
  dropped: boolean
}

/** Agents without a connection cost little, so this bounds memory where certificates change often. */
const MAX_AGENTS = 32
/** Further reviews of the same host wait for each other, within their own deadlines. */
const MAX_CONNECTIONS = 64
const MAX_IDLE_CONNECTIONS = 8
const IDLE_MS = 60_000

/**
 * An agent per {@link Trust}: newly configured certificates count at once, as no connection made under others is reused. Idle
 * connections do not keep the process alive, and end after a minute.
 */
export class AgentCache {
  /** In order of use, the most recent last. */
  readonly #kept = new Map<Trust, CachedAgent>()

  /** @throws TokenReviewError `transport` where none of the certificates can be read. */
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

/** Ends idle connections: when one turned out dead, others may be dead, too. */
export function endIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

function destroyIfUnused({ agent, users, dropped }: CachedAgent): void {
  if (dropped && users === 0) agent.destroy()
}

function makeAgent(trust: Trust): HttpAgent {
  const keeping = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: IDLE_MS }
  if (trust === undefined) return meteredHttpAgent(MAX_HTTP_ANSWER_BYTES, keeping)
  // Explicit, so that no setting of the process (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0) weakens it.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    // The trusted certificate may be the server's own or an intermediate one.
    ...(trust !== null && { ca: readCertificates(trust), allowPartialTrustChain: true }),
  })
  // A resumed session is not verified again, so none is cached.
  return meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, {
    ...keeping,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkSubjectNames,
    maxCachedSessions: 0,
  })
}

/** Never empty: an empty list would trust the platform's certificates. */
function readCertificates(pem: string): string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)?.filter(isCertificate) ?? []
  if (found.length > 0) return found
  throw new TokenReviewError('transport', 'none of the CA certificates given for the API server can be read')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
