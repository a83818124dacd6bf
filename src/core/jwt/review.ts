/**
 * Calls the token reviewer and decides whether its answer confirms a token. The decision is made here, so that it is the same for all
 * adapters. The rules are Vault's.
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

/** The answer or the failure of a review. The answer has not been compared with the token yet. */
export type ReviewOutcome = { readonly answer: ReviewAnswer } | { readonly failure: ReviewFailure }

/** Calls the reviewer. Never rejects: every error of the reviewer becomes a `failure`. */
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
    // Reading a property of the thrown value failed.
    return 'transport'
  }
}

/**
 * The members of an answer that the decision uses. They are copied, so an adapter that later changes its answer does not affect the
 * decision.
 */
interface ReviewAnswer {
  readonly authenticated: boolean
  readonly error: boolean
  readonly audiences: readonly unknown[]
  readonly username: unknown
  /** The value has not been validated. Only compare it with strings. */
  readonly uid: unknown
}

/** @throws any error that the members of a malformed answer cause */
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

/** The service account that the reviewed token belongs to. */
export interface ReviewedAccount {
  readonly namespace: string
  readonly name: string
  /** The uid as the server sent it. The value has not been validated. Only compare it with strings. */
  readonly uid: unknown
}

/**
 * Returns the service account that a review confirms. The checks are in the same order as in Vault.
 * @param wanted The requested audiences. The token must be valid for at least one of them.
 * @throws KernelError 403
 */
export function reviewedAccount(outcome: ReviewOutcome, wanted: readonly string[]): ReviewedAccount {
  if ('failure' in outcome) throw refuseLogin(outcome.failure)
  const { authenticated, error, audiences, username, uid } = outcome.answer
  if (error) throw refuseLogin('review-error')
  if (!authenticated) throw refuseLogin('review-not-authenticated')
  // A server without support for audiences has not checked them and returns no audiences. Then the login is refused, too.
  if (wanted.length > 0 && !wanted.some((audience) => audiences.includes(audience))) throw refuseLogin('review-audience-mismatch')
  const [system, kind, namespace, name, ...more] = typeof username === 'string' ? username.split(':') : []
  if (system !== 'system' || kind !== 'serviceaccount' || namespace === undefined || name === undefined || more.length > 0)
    throw refuseLogin('review-no-service-account')
  return { namespace, name, uid }
}
