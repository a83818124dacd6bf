/** The error of a review without an answer. */
import type { ReviewFailure } from '../../core/jwt/token-reviewer.ts'

/**
 * Thrown by {@link kubernetesTokenReviewer}. The message consists of fixed words, codes and the name of the host, and never of
 * server output: answers repeat the reviewed token.
 */
export class TokenReviewError extends Error {
  override readonly name = 'TokenReviewError'
  readonly reason: ReviewFailure

  /** @param cause An error without any sent or received content. */
  constructor(reason: ReviewFailure, message: string, cause?: unknown) {
    super(`token review: ${message}`, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
