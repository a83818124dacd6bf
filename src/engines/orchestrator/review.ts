/**
 * Asks the orchestrator about a token, and judges the answer, so that all adapters come to the same (source: behaviour of the originals).
 * Room: engines/orchestrator. Imported by logins.
 */
import { type LoginRefusalReason, refuseLogin } from '../../core/auth/login/refusal.ts'
import { REVIEW_FAILURES, type ReviewFailure, type TokenReviewAnswer } from '../../core/auth/login/token-reviewer.ts'
import type { Tx } from '../../core/transaction/tx.ts'
import type { ConfigRecord } from './config-record.ts'
import type { ServiceAccount } from './jwt/claims.ts'
import { localCa, localToken, UNREADABLE } from './local.ts'

export interface Reviewed {
  /** The token that logs in. */
  readonly text: string
  /** What it must be meant for; empty is the server's own. */
  readonly audiences: readonly string[]
  /** Whose it says it is. */
  readonly account: ServiceAccount
}

/** Where a reviewer is given it must agree. @throws KernelError 403, whatever the reason. */
export function checkReview(tx: Tx, config: ConfigRecord, reviewed: Reviewed): void {
  const { tokenReviewer } = tx.env.ports
  if (!tokenReviewer) return
  const { text: token, audiences } = reviewed
  const request = { host: config.host, caCert: caOf(tx, config), bearer: bearerOf(tx, config, token), token, audiences }
  const outcome = tx.once('review', () => tokenReviewer.review(request, tx.env.closing).then(answered, failed), 'attempt')
  const reason = 'failure' in outcome ? outcome.failure : judge(outcome.answer, reviewed)
  if (reason) throw refuseLogin(reason)
}

type Outcome = { readonly answer: TokenReviewAnswer } | { readonly failure: ReviewFailure }

const answered = (answer: TokenReviewAnswer): Outcome => ({ answer })

function failed(thrown: unknown): Outcome {
  const reason: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'reason') : undefined
  return { failure: REVIEW_FAILURES.find((failure) => failure === reason) ?? 'transport' }
}

/** Null is what the platform trusts: only where keys have a say too. @throws KernelError 403 */
function caOf(tx: Tx, { ca_cert, pem_keys, disable_local_ca_jwt }: ConfigRecord): string | null {
  if (ca_cert !== '') return ca_cert
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === UNREADABLE || (local === null && pem_keys.length === 0)) throw refuseLogin('local-ca-unreadable')
  return local
}

/** Without a reviewer's token the one that logs in speaks for itself. */
function bearerOf(tx: Tx, { token_reviewer_jwt, disable_local_ca_jwt }: ConfigRecord, login: string): string {
  const configured = token_reviewer_jwt.trim()
  if (configured !== '') return configured
  return (disable_local_ca_jwt ? '' : localToken(tx)) || login
}

/** In the order of the originals. */
function judge(answer: TokenReviewAnswer, { audiences: wanted, account }: Reviewed): LoginRefusalReason | undefined {
  const { authenticated, error, audiences = [], user } = answer
  if (error) return 'review-error'
  if (authenticated !== true) return 'review-not-authenticated'
  // A server that knows nothing of audiences has not looked at them.
  if (wanted.length > 0 && !wanted.some((audience) => audiences.includes(audience))) return 'review-audience-mismatch'
  const [system, kind, namespace, name, ...more] = (user?.username ?? '').split(':')
  if (system !== 'system' || kind !== 'serviceaccount' || name === undefined || more.length > 0)
    return 'review-no-service-account'
  const same = name === account.name && user?.uid === account.uid && namespace === account.namespace
  return same ? undefined : 'review-mismatch'
}
