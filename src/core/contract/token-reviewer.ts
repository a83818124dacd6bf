/**
 * Ports of auth methods that ask an orchestrator about tokens of its service accounts.
 */

/** What the orchestrator's API server is asked. */
export interface TokenReviewRequest {
  /** As it was configured: host, host:port or URL of the API server. Without a scheme it means https. */
  readonly host: string
  /** PEM certificates of which one must have signed the server's, or be it; null is what the platform trusts. */
  readonly caCert: string | null
  /** What the request itself is authorised by. */
  readonly bearer: string
  /** The token under review. */
  readonly token: string
  /** One of these the token must be meant for; empty is the server's own. */
  readonly audiences: readonly string[]
}

/** What it answers. The kernel judges it, so an adapter hands it on as it is. */
export interface TokenReviewAnswer {
  readonly authenticated: boolean
  /** Why not, in the server's words. Not empty means that the token is refused, whatever the rest says. */
  readonly error?: string
  /** For which of the audiences asked for the token is meant. A server that knows nothing of audiences leaves them out. */
  readonly audiences?: readonly string[]
  readonly user?: {
    /** `system:serviceaccount:<namespace>:<name>` for a service account. */
    readonly username: string
    /** Empty where the server tells of none. */
    readonly uid: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

/** Why a review came to no answer. An adapter throws an Error that has it as `reason`; whatever else is thrown counts as `transport`. */
export const REVIEW_FAILURES = [
  /** The server did not accept the bearer (401), or no header can carry it, which says nothing of the token under review. */
  'reviewer-unauthorized',
  /** The bearer may not review tokens (403). */
  'reviewer-forbidden',
  /** No connection, or none that could be trusted; a host or certificates that cannot be used; a review that was called off. */
  'transport',
  'timeout',
  /** Something else than a review came back. */
  'protocol',
] as const
export type ReviewFailure = (typeof REVIEW_FAILURES)[number]

/**
 * Asks an orchestrator whether it knows a token. Without this port the signature alone decides, and logins to mounts without `pem_keys`
 * are refused.
 *
 * Called once per login, concurrently for several. A review has `effect_timeout_ms` (15 seconds by default); one that takes longer refuses
 * the login. `signal` is aborted then, and when the kernel closes.
 */
export interface TokenReviewer {
  review(request: TokenReviewRequest, signal: AbortSignal): Promise<TokenReviewAnswer>
}

/**
 * What a process that runs inside an orchestrator finds about itself. Without this port the kernel is outside of one.
 *
 * Asked at every use, so it caches what is costly. Null: there is none. What it throws counts as unreadable, and so does what takes longer
 * than `effect_timeout_ms` (15 seconds by default). `signal` is aborted then, and when the kernel closes.
 */
export interface LocalEnvironment {
  /** PEM certificates that the API server's chains to. */
  caCert(signal: AbortSignal): Promise<string | null>
  /** The token of the service account that this process runs as. */
  serviceAccountToken(signal: AbortSignal): Promise<string | null>
}
