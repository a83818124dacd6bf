/**
 * Connections that are kept, apart for every set of certificates.
 */
import { X509Certificate } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls'
import { TokenReviewError } from './review-error.ts'

/** What a connection is judged by: PEM certificates, or null for what the platform trusts; undefined over http, where nothing is. */
export type Trust = string | null | undefined

interface Kept {
  readonly agent: HttpAgent
  users: number
  /** Others took its place: it goes when its last user is done. */
  dropped: boolean
}

/** Agents without a connection cost little, so this bounds memory where certificates change all the time. */
const MOST_AGENTS = 32
/** More reviews than this at a time and host wait for each other, within their own deadlines. */
const MOST_CONNECTIONS = 64
const MOST_IDLE_CONNECTIONS = 8
const IDLE_MS = 60_000

/**
 * An agent per {@link Trust}: certificates that are configured anew count at once, as no connection that was made under others is ever used
 * again. Idle connections do not keep the process alive, and end after a minute.
 */
export class Agents {
  /** The one used last stands last. */
  readonly #kept = new Map<Trust, Kept>()

  /** @throws TokenReviewError `transport` where none of the certificates can be read. */
  async use<T>(trust: Trust, work: (agent: HttpAgent) => Promise<T>): Promise<T> {
    const kept = this.#take(trust)
    kept.users++
    try {
      return await work(kept.agent)
    } finally {
      kept.users--
      dropUnused(kept)
    }
  }

  #take(trust: Trust): Kept {
    const kept = this.#kept.get(trust) ?? { agent: makeAgent(trust), users: 0, dropped: false }
    this.#kept.delete(trust)
    this.#kept.set(trust, kept)
    const [oldest] = this.#kept
    if (oldest && this.#kept.size > MOST_AGENTS) {
      this.#kept.delete(oldest[0])
      oldest[1].dropped = true
      dropUnused(oldest[1])
    }
    return kept
  }
}

/** Ends connections that wait for a request: others may have gone the way of one that turned out dead. */
export function endIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

function dropUnused({ agent, users, dropped }: Kept): void {
  if (dropped && users === 0) agent.destroy()
}

function makeAgent(trust: Trust): HttpAgent {
  const keeping = { keepAlive: true, maxSockets: MOST_CONNECTIONS, maxFreeSockets: MOST_IDLE_CONNECTIONS, timeout: IDLE_MS }
  if (trust === undefined) return new HttpAgent(keeping)
  // Said in full, so that no setting of the process (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0) weakens it.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    // The server's own certificate or one in between may be what is trusted.
    ...(trust !== null && { ca: readCertificates(trust), allowPartialTrustChain: true }),
  })
  // A session that is resumed is not verified again.
  return new HttpsAgent({
    ...keeping,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkNames,
    maxCachedSessions: 0,
  })
}

/** Never empty: without any, the platform's would be trusted. */
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

/** The common name does not count (RFC 9525): a cluster's CA signs clients, too, with the names of users there. */
function checkNames(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname) return checkServerIdentity(host, certificate)
  return Object.assign(new Error('the certificate has no subject alternative names'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
}
