/** The port that asks an orchestrator about tokens of its service accounts. */
import { isAnything, portMethods } from '../contract/ports.ts'

/** A request to the orchestrator's API server. */
export interface TokenReviewRequest {
  /** From the configuration: host, host:port or URL of the API server. Without a scheme it means https. */
  readonly host: string
  /** PEM certificates, one of which must have signed the server's or be it; null trusts those of the platform. */
  readonly caCert: string | null
  /** The token that authorises the request itself. */
  readonly bearer: string
  /** The token under review. */
  readonly token: string
  /** The token must be meant for one of these; empty means the server's own. */
  readonly audiences: readonly string[]
}

/** The server's answer. The kernel judges it, so an adapter passes it on unchanged. */
export interface TokenReviewAnswer {
  readonly authenticated: boolean
  /** The server's error message. Not empty means that the token is refused, whatever the rest says. */
  readonly error?: string
  /** The requested audiences that the token is meant for. A server that does not know audiences omits them. */
  readonly audiences?: readonly string[]
  readonly user?: {
    /** `system:serviceaccount:<namespace>:<name>` for a service account. */
    readonly username: string
    /** Empty where the server sends none. */
    readonly uid: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

/** Why a review had no answer. An adapter throws an Error with it as `reason`; any other error counts as `transport`. */
export const REVIEW_FAILURES = [
  /** The server did not accept the bearer (401), or no header can carry it. That says nothing about the token under review. */
  'reviewer-unauthorized',
  /** The bearer may not review tokens (403). */
  'reviewer-forbidden',
  /** No connection, or no trusted one; an unusable host or certificate; an aborted review. */
  'transport',
  'timeout',
  /** The response was no review. */
  'protocol',
] as const
export type ReviewFailure = (typeof REVIEW_FAILURES)[number]

/**
 * Asks an orchestrator whether a token is valid. Without this port the signature alone decides, and logins are refused where no
 * keys are configured.
 *
 * Called once per login, concurrently for several. A review has `effectTimeoutMs` (15 seconds by default); a longer one refuses
 * the login. `signal` is aborted then, and when the kernel closes.
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

/** The login judges the answers. */
export const TOKEN_REVIEWER = /* @__PURE__ */ portMethods<TokenReviewer>({ review: { signalAt: 1, answers: isAnything } })
