/**
 * Why a review came to no answer.
 */
import type { ReviewFailure } from '../../core/contract/token-reviewer.ts'

/**
 * Thrown by {@link kubernetesTokenReviewer}. The message is made of our own words, codes and the name of the host, never of what a server
 * wrote: its answers repeat the token that was reviewed.
 */
export class TokenReviewError extends Error {
  override readonly name = 'TokenReviewError'
  readonly reason: ReviewFailure

  /** @param cause An error that holds nothing of what was sent or came back. */
  constructor(reason: ReviewFailure, message: string, cause?: unknown) {
    super(`token review: ${message}`, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
