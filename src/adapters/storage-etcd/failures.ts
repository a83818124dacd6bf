/** Classifies errors of the cluster and its connections. */
import { TLS_ERRORS } from '../network/connection-failure.ts'

/** The gRPC status codes that the storage distinguishes. */
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
 * - `refused`: every member would refuse the request, and a retry would not help;
 * - `elsewhere`: this member cannot serve any request, because of its certificate or protocol, but another member may;
 * - `passes`: a retry may succeed, at this member or another one.
 */
type FailureKind = 'refused' | 'elsewhere' | 'passes'

/** An error answer of a member, or a failure to get an answer. The message names the member and contains neither password nor token. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError'
  /** The member's host and port. */
  readonly member: string
  readonly kind: FailureKind
  /**
   * Whether it is certain that the request had no effect. Exception: this is true if the cluster is out of space, although the request may
   * then have had an effect; see {@link isFull}.
   */
  readonly harmless: boolean
  /** The gRPC status; undefined if the member returned none. */
  readonly status: number | undefined

  constructor(member: string, text: string, kind: FailureKind, harmless: boolean, status?: number, cause?: unknown) {
    super(`etcd at ${member}: ${text}`, cause === undefined ? undefined : { cause })
    this.member = member
    this.kind = kind
    this.harmless = harmless
    this.status = status
  }
}

/** The error if a member sent nothing for too long, or did not complete its answer in time; see `CallLimits`. */
export class MemberSilent extends Error {
  override readonly name = 'MemberSilent'
}

/** Errors that describe a temporary state of the cluster, so a retry may succeed. */
const TRANSIENT_CODES = /proposal dropped|leader changed|too many requests|raft: stopped|not capable|learner/i

/** Errors of requests that were refused before they were proposed to the cluster, so they cannot take effect later. */
const NOT_PROPOSED = /no leader|too many requests|not capable|learner|auth token|proposal dropped/i

const TOKEN = /invalid auth token|revision of auth store is old/i

function kindOf(status: number, text: string): FailureKind {
  if (status === UNIMPLEMENTED) return 'elsewhere'
  if (TRANSIENT_CODES.test(text) || TOKEN.test(text)) return 'passes'
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

/** @param text The member's message. */
export function statusError(member: string, status: number, text: string): EtcdError {
  const said = status === UNIMPLEMENTED ? `it does not serve the v3 API (${text})` : text.replace(/^etcdserver: /, '')
  return new EtcdError(member, said, kindOf(status, text), NOT_PROPOSED.test(text) || REFUSALS.includes(status), status)
}

/**
 * @param sent Whether the request may have reached the member.
 * @param handshaking Whether a TLS handshake was in progress.
 */
export function connectionError(member: string, failure: unknown, sent: boolean, handshaking = false): EtcdError {
  // A request that was waiting for the connection fails with an error that says only that the request was aborted. The `cause` of that
  // error has the reason.
  const error = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure
  const code = (error as { readonly code?: unknown }).code
  const own = error instanceof Error ? error.message : String(error)
  if (typeof code === 'string' && TLS_ERRORS.test(code)) {
    return new EtcdError(member, `no secure connection: ${own} (${code})`, 'elsewhere', true, undefined, error)
  }
  if (code === 'ERR_HTTP2_ERROR') {
    const text = `it does not speak HTTP/2, or the scheme of the host is wrong (https with TLS, http without): ${own}`
    return new EtcdError(member, text, 'elsewhere', !sent, undefined, error)
  }
  if (handshaking && (code === 'ECONNRESET' || code === 'EPIPE')) {
    // A server without TLS answers the handshake with an error and then resets the connection. If the reset arrives first, the error is lost,
    // so the message suggests this cause.
    const text = `the connection ended during the TLS handshake (${own}); the host of a member without TLS begins with http`
    return new EtcdError(member, text, 'passes', !sent, undefined, error)
  }
  return new EtcdError(member, own || String(code), 'passes', !sent, undefined, error)
}

export const isTokenRefused = (error: unknown): boolean =>
  error instanceof EtcdError && (error.status === UNAUTHENTICATED || TOKEN.test(error.message))

export const isMemberSilent = (error: EtcdError): boolean => error.cause instanceof MemberSilent

/** Whether no connection could be established. */
export function isRefused({ cause }: EtcdError): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(String((cause as { code?: unknown } | undefined)?.code))
}

/**
 * Whether etcd refused a transaction of `dividedTxn` because the compares of a nested transaction do not hold. The nested transaction then
 * reads at the revision `NEVER`, which no cluster has reached.
 */
export const tookForbiddenBranch = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === OUT_OF_RANGE && /future revision/.test(error.message)

/** Whether the requested revision was compacted. */
export const isCompacted = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === OUT_OF_RANGE && /compacted/.test(error.message)

/**
 * Whether the cluster is out of space. It also reports this for a transaction that it has carried out, if that transaction used up the
 * space.
 */
export const isFull = (error: unknown): boolean =>
  error instanceof EtcdError && error.status === RESOURCE_EXHAUSTED && /space exceeded/.test(error.message)

/** Whether the user lacks permission for a key of the request. */
export const isForbidden = (error: unknown): boolean => error instanceof EtcdError && error.status === PERMISSION_DENIED

/** Whether the cluster refused the user or the password, or requires a login. */
export const isLoginRefused = (error: unknown): boolean =>
  error instanceof EtcdError &&
  error.status === INVALID_ARGUMENT &&
  /authentication failed|user name is empty/.test(error.message)

/** The error for a prefix that cannot be used, even after a retry. */
export class UnusablePrefix extends Error {
  override readonly name = 'UnusablePrefix'
}
