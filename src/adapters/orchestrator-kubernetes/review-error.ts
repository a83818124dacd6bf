import type { ReviewFailure } from '../../core/jwt/token-reviewer.ts'

/**
 * The error of a review without a result, thrown by {@link kubernetesTokenReviewer}. The message contains only fixed words, codes and the host name.
 * It never contains server output, since answers repeat the reviewed token.
 */
export class TokenReviewError extends Error {
  override readonly name = 'TokenReviewError'
  readonly reason: ReviewFailure

  /** @param cause Must not contain anything that was sent or received. */
  constructor(reason: ReviewFailure, message: string, cause?: unknown) {
    super(`token review: ${message}`, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
