/**
 * Asks the orchestrator about a token and judges the answer, so that all adapters reach the same verdict (source: behaviour of
 * the originals).
 */
import { NoAnswer } from '../../core/base/deadline.ts'
import type { LoginRefusalReason } from '../../core/contract/login-reason.ts'
import { refuseLogin } from '../../core/contract/login-refusal.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { ConfigRecord } from './config-record.ts'
import type { ServiceAccount } from './jwt/claims.ts'
import { localCa, localToken, UNREADABLE } from './local.ts'
import {
  REVIEW_FAILURES,
  type ReviewFailure,
  type TokenReviewAnswer,
  type TokenReviewer,
  type TokenReviewRequest,
} from './port.ts'

export interface Reviewed {
  /** The token that logs in. */
  readonly text: string
  /** The audiences of which it must be meant for one; empty means the server's own. */
  readonly audiences: readonly string[]
  /** The service account that the token claims. */
  readonly account: ServiceAccount
}

/** Where the kernel has a reviewer, the reviewer must agree. @throws KernelError 403, whatever the reason. */
export function checkReview(tx: Tx, config: ConfigRecord, reviewed: Reviewed): void {
  const { tokenReviewer } = tx.env.ports
  if (!tokenReviewer) return
  const { text: token, audiences } = reviewed
  const request = { host: config.host, caCert: caOf(tx, config), bearer: bearerOf(tx, config, token), token, audiences }
  const outcome = tx.once('review', () => ask(tokenReviewer, request, tx.env.closing), 'attempt')
  const reason = 'failure' in outcome ? outcome.failure : judge(outcome.answer, reviewed)
  if (reason) throw refuseLogin(reason)
}

type Outcome = { readonly answer: Answer } | { readonly failure: ReviewFailure }

/** Never rejects: a faulty reviewer refuses a login, and is no error of the kernel. */
async function ask(reviewer: TokenReviewer, request: TokenReviewRequest, signal: AbortSignal): Promise<Outcome> {
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
interface Answer {
  readonly authenticated: boolean
  readonly error: boolean
  readonly audiences: readonly unknown[]
  /** Both are only compared with texts. */
  readonly username: unknown
  readonly uid: unknown
}

/** @throws the error of reading a malformed answer. */
function readAnswer({ authenticated, error, audiences, user }: TokenReviewAnswer): Answer {
  const { username, uid } = user ?? {}
  return {
    authenticated: authenticated === true,
    error: Boolean(error),
    audiences: Array.isArray(audiences) ? [...audiences] : [],
    username,
    uid,
  }
}

/** Null trusts the platform, and is allowed only where keys verify too. @throws KernelError 403 */
function caOf(tx: Tx, { ca_cert, pem_keys, disable_local_ca_jwt }: ConfigRecord): string | null {
  if (ca_cert !== '') return ca_cert
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === UNREADABLE || (local === null && pem_keys.length === 0)) throw refuseLogin('local-ca-unreadable')
  return local
}

/** Without a reviewer's token, the token that logs in authorises its own review. */
function bearerOf(tx: Tx, { token_reviewer_jwt, disable_local_ca_jwt }: ConfigRecord, login: string): string {
  const configured = token_reviewer_jwt.trim()
  if (configured !== '') return configured
  return (disable_local_ca_jwt ? '' : localToken(tx)) || login
}

/** The checks have the order of the originals. */
function judge(answer: Answer, { audiences: wanted, account }: Reviewed): LoginRefusalReason | undefined {
  const { authenticated, error, audiences, username, uid } = answer
  if (error) return 'review-error'
  if (!authenticated) return 'review-not-authenticated'
  // A server that does not know audiences has not checked them.
  if (wanted.length > 0 && !wanted.some((audience) => audiences.includes(audience))) return 'review-audience-mismatch'
  const [system, kind, namespace, name, ...more] = typeof username === 'string' ? username.split(':') : []
  if (system !== 'system' || kind !== 'serviceaccount' || name === undefined || more.length > 0)
    return 'review-no-service-account'
  const same = name === account.name && uid === account.uid && namespace === account.namespace
  return same ? undefined : 'review-mismatch'
}
