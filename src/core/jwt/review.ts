/**
 * Asks an orchestrator about a token and judges the answer, so that all adapters reach the same verdict (source: behaviour of
 * the originals).
 */
import { NoAnswer } from '../base/deadline.ts'
import { refuseLogin } from '../contract/login-refusal.ts'
import {
  REVIEW_FAILURES,
  type ReviewFailure,
  type TokenReviewAnswer,
  type TokenReviewer,
  type TokenReviewRequest,
} from './token-reviewer.ts'

/** What came of a review, still to be judged. */
export type ReviewOutcome = { readonly answer: ReviewAnswer } | { readonly failure: ReviewFailure }

/** Never rejects: a faulty reviewer refuses a login, and is no error of the kernel. */
export async function requestReview(
  reviewer: TokenReviewer,
  request: TokenReviewRequest,
  signal: AbortSignal,
): Promise<ReviewOutcome> {
  let given: TokenReviewAnswer
  try {
    given = await reviewer.review(request, signal)
  } catch (thrown) {
    return { failure: failureOf(thrown) }
  }
  try {
    return { answer: readAnswer(given) }
  } catch {
    return { failure: 'protocol' }
  }
}

function failureOf(thrown: unknown): ReviewFailure {
  try {
    if (thrown instanceof NoAnswer) return 'timeout'
    const { reason } = thrown as { readonly reason?: unknown }
    return REVIEW_FAILURES.find((failure) => failure === reason) ?? 'transport'
  } catch {
    // The thrown value has no properties, so no reason either.
    return 'transport'
  }
}

/** The relevant members of an answer, each read once. */
interface ReviewAnswer {
  readonly authenticated: boolean
  readonly error: boolean
  readonly audiences: readonly unknown[]
  readonly username: unknown
  /** Only compared with texts, or judged by whoever uses it. */
  readonly uid: unknown
}

/** @throws the error of reading a malformed answer. */
function readAnswer({ authenticated, error, audiences, user }: TokenReviewAnswer): ReviewAnswer {
  const { username, uid } = user ?? {}
  return {
    authenticated: authenticated === true,
    error: Boolean(error),
    audiences: Array.isArray(audiences) ? [...audiences] : [],
    username,
    uid,
  }
}

/** Whose token it was. */
export interface ReviewedAccount {
  readonly namespace: string
  readonly name: string
  /** As the server sent it. */
  readonly uid: unknown
}

/**
 * The service account that a review vouches for.
 * The checks have the order of the originals.
 * @param wanted The audiences that were asked for; the token must be meant for one of them.
 * @throws KernelError 403
 */
export function reviewedAccount(outcome: ReviewOutcome, wanted: readonly string[]): ReviewedAccount {
  if ('failure' in outcome) throw refuseLogin(outcome.failure)
  const { authenticated, error, audiences, username, uid } = outcome.answer
  if (error) throw refuseLogin('review-error')
  if (!authenticated) throw refuseLogin('review-not-authenticated')
  // A server that does not know audiences has not checked them.
  if (wanted.length > 0 && !wanted.some((audience) => audiences.includes(audience))) throw refuseLogin('review-audience-mismatch')
  const [system, kind, namespace, name, ...more] = typeof username === 'string' ? username.split(':') : []
  if (system !== 'system' || kind !== 'serviceaccount' || namespace === undefined || name === undefined || more.length > 0)
    throw refuseLogin('review-no-service-account')
  return { namespace, name, uid }
}
