/** The port that reviews tokens of an orchestrator's service accounts, such as the TokenReview API of Kubernetes. */
import { isAnything, portMethods } from '../contract/ports.ts'

/** A request to the orchestrator's API server. */
export interface TokenReviewRequest {
  /** From the configuration: host, host:port or URL of the API server. The default scheme is https. */
  readonly host: string
  /**
   * PEM certificates. The server's certificate must be one of them or signed by one of them; null trusts the authorities of the platform.
   */
  readonly caCert: string | null
  /** The token that authorizes the request. */
  readonly bearer: string
  /** The token to review. */
  readonly token: string
  /** The token must be meant for one of these; empty means the audience of the API server. */
  readonly audiences: readonly string[]
}

/** The server's answer. An adapter passes it on unchanged, and the kernel decides. */
export interface TokenReviewAnswer {
  readonly authenticated: boolean
  /** The server's error message. If it is not empty, the token is refused. */
  readonly error?: string
  /** The requested audiences for which the token is valid. A server without support for audiences omits them. */
  readonly audiences?: readonly string[]
  readonly user?: {
    /** `system:serviceaccount:<namespace>:<name>` for a service account. */
    readonly username: string
    /** Empty if the server sends none. */
    readonly uid: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

/** Why a review has no answer. An adapter throws an Error with this value as `reason`; any other error counts as `transport`. */
export const REVIEW_FAILURES = [
  /**
   * The server did not accept the bearer token (401), or the token cannot be sent in a header. This says nothing about the reviewed token.
   */
  'reviewer-unauthorized',
  /** The bearer token may not review tokens (403). */
  'reviewer-forbidden',
  /** No connection or no trusted one, an unusable host or certificate, or an aborted review. */
  'transport',
  'timeout',
  /** The response is not a review. */
  'protocol',
] as const
export type ReviewFailure = (typeof REVIEW_FAILURES)[number]

/**
 * Asks an orchestrator whether a token is valid. Without this port only the signature decides, and logins are refused if no keys are
 * configured.
 *
 * Called once per login, and concurrently for several logins. A review that takes longer than `effectTimeoutMs` (default 15 seconds)
 * refuses the login. `signal` is aborted then, and when the kernel closes.
 */
export interface TokenReviewer {
  review(request: TokenReviewRequest, signal: AbortSignal): Promise<TokenReviewAnswer>
}

declare module '../contract/ports.ts' {
  interface Ports {
    /** Called at logins of an orchestrator's service accounts. */
    readonly tokenReviewer?: TokenReviewer
  }
}

/** Any answer is accepted here; the login checks it. */
export const TOKEN_REVIEWER = /* @__PURE__ */ portMethods<TokenReviewer>({ review: { signalAt: 1, answers: isAnything } })
