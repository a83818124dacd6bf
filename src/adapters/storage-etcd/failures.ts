/** Classifies what goes wrong between the storage and a member of the cluster. */

/** Status codes of gRPC that the storage tells apart. */
const CANCELLED = 1
const UNKNOWN = 2
const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const FAILED_PRECONDITION = 9
const OUT_OF_RANGE = 11
const UNIMPLEMENTED = 12
const INTERNAL = 13
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/**
 * - `refused`: no member would do it, now or later;
 * - `elsewhere`: this member cannot, whatever it is asked, and another may: its certificate, what it speaks;
 * - `passes`: the same may work later, or at another member.
 */
type Kind = 'refused' | 'elsewhere' | 'passes'

/** What a member answered, or why it did not. Names the member, and holds no password and no token. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError'
  /** As the member was given in `hosts`. */
  readonly member: string
  readonly kind: Kind
  /** Whether it is certain that the request did nothing. */
  readonly harmless: boolean
  /** The status of gRPC; undefined where the member gave none. */
  readonly status: number | undefined

  constructor(member: string, text: string, kind: Kind, harmless: boolean, status?: number, cause?: unknown) {
    super(`etcd at ${member}: ${text}`, cause === undefined ? undefined : { cause })
    this.member = member
    this.kind = kind
    this.harmless = harmless
    this.status = status
  }
}

/** A member has said nothing for as long as it was given. */
export class Silence extends Error {
  override readonly name = 'Silence'
}

/** What is said of the cluster as it is now; the same request may do what it should in a moment. */
const MOMENTARY = /proposal dropped|leader changed|too many requests|raft: stopped|not capable|learner/i

/** Refused before it was proposed to the cluster, so nothing of it can come later. */
const NOT_PROPOSED = /no leader|too many requests|not capable|learner|auth token|proposal dropped/i

const TOKEN = /invalid auth token|revision of auth store is old/i

function kindOf(status: number, text: string): Kind {
  if (status === UNIMPLEMENTED) return 'elsewhere'
  if (MOMENTARY.test(text) || TOKEN.test(text)) return 'passes'
  const passing = [CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, UNAUTHENTICATED]
  return passing.includes(status) ? 'passes' : 'refused'
}

const REFUSALS: readonly number[] = [
  INVALID_ARGUMENT,
  NOT_FOUND,
  PERMISSION_DENIED,
  RESOURCE_EXHAUSTED,
  FAILED_PRECONDITION,
  OUT_OF_RANGE,
  UNIMPLEMENTED,
  UNAUTHENTICATED,
]

/** @param text As the member wrote it. */
export function statusError(member: string, status: number, text: string): EtcdError {
  const said = status === UNIMPLEMENTED ? `it does not serve the v3 API (${text})` : text.replace(/^etcdserver: /, '')
  return new EtcdError(member, said, kindOf(status, text), NOT_PROPOSED.test(text) || REFUSALS.includes(status), status)
}

/** What a client certificate, a server certificate or the versions of TLS come to. */
const OF_TLS = /^(ERR_SSL|ERR_TLS|UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL|EPROTO|INVALID_CA)/

/**
 * @param sent Whether the request may have reached the member.
 * @param handshaking Whether a TLS handshake was under way.
 */
export function connectionError(member: string, failure: unknown, sent: boolean, handshaking = false): EtcdError {
  // A request that waited for the connection says only that it was given up, and why in its cause.
  const error = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure
  const code = (error as { readonly code?: unknown }).code
  const own = error instanceof Error ? error.message : String(error)
  if (typeof code === 'string' && OF_TLS.test(code)) {
    return new EtcdError(member, `no secure connection: ${own} (${code})`, 'elsewhere', true, undefined, error)
  }
  if (code === 'ERR_HTTP2_ERROR') {
    const text = `it does not speak HTTP/2, or speaks it only with TLS, or only without: ${own}`
    return new EtcdError(member, text, 'elsewhere', !sent, undefined, error)
  }
  if (handshaking && (code === 'ECONNRESET' || code === 'EPIPE')) {
    // A server without TLS answers the handshake with an error and a reset; the reset may arrive first.
    const text = `the connection ended during the TLS handshake (${own}); the host of a member without TLS begins with http`
    return new EtcdError(member, text, 'passes', !sent, undefined, error)
  }
  return new EtcdError(member, own || String(code), 'passes', !sent, undefined, error)
}

export const isTokenRefused = (error: unknown): boolean =>
  error instanceof EtcdError && (error.status === UNAUTHENTICATED || TOKEN.test(error.message))

export const isSilence = (error: EtcdError): boolean => error.cause instanceof Silence

/** There is no server at the address. */
export function isRefused({ cause }: EtcdError): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(String((cause as { code?: unknown } | undefined)?.code))
}

/** The transaction was on a path that must not be taken: {@link NEVER} in `layout.ts`. */
export const isPoisoned = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === OUT_OF_RANGE && /future revision/.test(error.message)

/** The revision that was asked for is compacted. */
export const isCompacted = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === OUT_OF_RANGE && /compacted/.test(error.message)

/** The cluster has used up its space. It says so also of a transaction that it has carried out, if that was the one that used it up. */
export const isFull = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === RESOURCE_EXHAUSTED && /space exceeded/.test(error.message)

/** The user has no right to a key of the request. */
export const isForbidden = (error: unknown): boolean => error instanceof EtcdError && error.status === PERMISSION_DENIED

/** A prefix that cannot be used, also not after a retry. */
export class UnusablePrefix extends Error {
  override readonly name = 'UnusablePrefix'
}
