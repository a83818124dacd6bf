import { refuseLogin } from '../../core/contract/login-refusal.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { ServiceAccount } from '../../core/jwt/claims.ts'
import { requestReview, reviewedAccount } from '../../core/jwt/review.ts'
import type { ConfigRecord } from './config-record.ts'
import { localCa, localToken, UNREADABLE } from './local.ts'

interface TokenToReview {
  /** The token that logs in. */
  readonly text: string
  /** The token must be valid for one of these audiences. An empty list means the audience of the API server. */
  readonly audiences: readonly string[]
  /** The service account in the token's claims. */
  readonly account: ServiceAccount
}

/** If the kernel has a token reviewer, asks the API server to review the token. @throws KernelError 403 for every failure. */
export function checkReview(tx: Tx, config: ConfigRecord, reviewed: TokenToReview): void {
  const { tokenReviewer } = tx.env.ports
  if (!tokenReviewer) return
  const { text: token, audiences, account } = reviewed
  const request = {
    host: config.host,
    caCert: trustedCertificates(tx, config),
    bearer: reviewerToken(tx, config, token),
    token,
    audiences,
  }
  const outcome = tx.once('review', () => requestReview(tokenReviewer, request, tx.env.closing), 'attempt')
  const { namespace, name, uid } = reviewedAccount(outcome, audiences)
  if (name !== account.name || uid !== account.uid || namespace !== account.namespace) throw refuseLogin('review-mismatch')
}

/**
 * Returns the certificates that verify the API server. Null means the certificates that the platform trusts; it is allowed only if
 * `pem_keys` also verify the token.
 * @throws KernelError 403
 */
function trustedCertificates(tx: Tx, { ca_cert, pem_keys, disable_local_ca_jwt }: ConfigRecord): string | null {
  if (ca_cert !== '') return ca_cert
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === UNREADABLE || (local === null && pem_keys.length === 0)) throw refuseLogin('local-ca-unreadable')
  return local
}

/** Returns the token that authorizes the review. Without a configured or local token, that is the token that logs in. */
function reviewerToken(tx: Tx, { token_reviewer_jwt, disable_local_ca_jwt }: ConfigRecord, login: string): string {
  const configured = token_reviewer_jwt.trim()
  if (configured !== '') return configured
  return (disable_local_ca_jwt ? '' : localToken(tx)) || login
}
