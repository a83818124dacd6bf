/** Calls the token reviewer and decides about its answer, so that all adapters lead to the same decision. The rules are Vault's. */
import { NoAnswer } from '../base/deadline.ts'
import { refuseLogin } from '../contract/login-refusal.ts'
import {
  REVIEW_FAILURES,
  type ReviewFailure,
  type TokenReviewAnswer,
  type TokenReviewer,
  type TokenReviewRequest,
} from './token-reviewer.ts'

/** The result of a review before the decision. */
export type ReviewOutcome = { readonly answer: ReviewAnswer } | { readonly failure: ReviewFailure }

/** Never rejects: a faulty reviewer refuses the login instead of failing the kernel. */
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
    // The thrown value has no readable properties.
    return 'transport'
  }
}

/** The members of an answer that are used, each read once. */
interface ReviewAnswer {
  readonly authenticated: boolean
  readonly error: boolean
  readonly audiences: readonly unknown[]
  readonly username: unknown
  /** Not validated: compare it only with strings. */
  readonly uid: unknown
}

/** @throws The error of reading a malformed answer */
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

/** The service account that owns the reviewed token. */
export interface ReviewedAccount {
  readonly namespace: string
  readonly name: string
  /** As the server sent it. */
  readonly uid: unknown
}

/**
 * The service account that a review confirms. The checks have Vault's order.
 * @param wanted The requested audiences; the token must be meant for one of them.
 * @throws KernelError 403
 */
export function reviewedAccount(outcome: ReviewOutcome, wanted: readonly string[]): ReviewedAccount {
  if ('failure' in outcome) throw refuseLogin(outcome.failure)
  const { authenticated, error, audiences, username, uid } = outcome.answer
  if (error) throw refuseLogin('review-error')
  if (!authenticated) throw refuseLogin('review-not-authenticated')
  // A server without support for audiences has not checked them and returns none.
  if (wanted.length > 0 && !wanted.some((audience) => audiences.includes(audience))) throw refuseLogin('review-audience-mismatch')
  const [system, kind, namespace, name, ...more] = typeof username === 'string' ? username.split(':') : []
  if (system !== 'system' || kind !== 'serviceaccount' || namespace === undefined || name === undefined || more.length > 0)
    throw refuseLogin('review-no-service-account')
  return { namespace, name, uid }
}
