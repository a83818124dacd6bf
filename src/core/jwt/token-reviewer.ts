/** The port that reviews tokens of service accounts, for example with the TokenReview API of Kubernetes. */
import { isAnything, portMethods } from '../contract/ports.ts'

/** A request to the API server of an orchestrator, such as Kubernetes, to review a token. */
export interface TokenReviewRequest {
  /** The API server as in the configuration: host, host:port or URL. The default scheme is https. */
  readonly host: string
  /**
   * Certificates in PEM format. The server's certificate must be one of them or be signed by one of them. If null, the platform's
   * certificate authorities are trusted.
   */
  readonly caCert: string | null
  /** The bearer token that authorizes the review request. */
  readonly bearer: string
  /** The token that is reviewed. */
  readonly token: string
  /** The accepted audiences: the token must be valid for at least one of them. Empty means the audience of the API server. */
  readonly audiences: readonly string[]
}

/** The server's answer. An adapter must return it unchanged; the kernel decides about the token. */
export interface TokenReviewAnswer {
  readonly authenticated: boolean
  /** The server's error message. If it is not empty, the token is refused. */
  readonly error?: string
  /** The requested audiences for which the token is valid. Absent if the server does not support audiences. */
  readonly audiences?: readonly string[]
  readonly user?: {
    /** The user name. For a service account, `system:serviceaccount:<namespace>:<name>`. */
    readonly username: string
    /** The uid of the account. Empty if the server does not send it. */
    readonly uid: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

/** The reason why a review has no answer. An adapter throws an Error with this value as `reason`. Any other error means `transport`. */
export const REVIEW_FAILURES = [
  /**
   * The server did not accept the bearer token (401), or the bearer token cannot be sent in a header. The reviewed token may nevertheless
   * be valid.
   */
  'reviewer-unauthorized',
  /** The bearer token has no permission to review tokens (403). */
  'reviewer-forbidden',
  /**
   * The connection failed or the server is not trusted, the host or a certificate in the configuration is unusable, or the review was
   * aborted.
   */
  'transport',
  'timeout',
  /** The server's response is not a token review. */
  'protocol',
] as const
export type ReviewFailure = (typeof REVIEW_FAILURES)[number]

/**
 * Reviews a token, which means that an orchestrator decides whether the token is valid. Without this port, tokens are only verified by
 * their signature; if no keys are configured, logins are refused.
 *
 * Called once per login, and concurrently for concurrent logins. A review has a time limit of `effectTimeoutMs` (default 15 seconds). If it
 * exceeds the limit, the login is refused. `signal` is aborted at the limit and when the kernel closes.
 */
export interface TokenReviewer {
  review(request: TokenReviewRequest, signal: AbortSignal): Promise<TokenReviewAnswer>
}

declare module '../contract/ports.ts' {
  interface Ports {
    /** Called when a service account of an orchestrator logs in. */
    readonly tokenReviewer?: TokenReviewer
  }
}

/** Any answer is accepted here. The login validates it. */
export const TOKEN_REVIEWER = /* @__PURE__ */ portMethods<TokenReviewer>({ review: { signalAt: 1, answers: isAnything } })
