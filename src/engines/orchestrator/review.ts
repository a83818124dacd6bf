/** Has the orchestrator review a token, where the kernel has a reviewer. */
import { refuseLogin } from '../../core/contract/login-refusal.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { ServiceAccount } from '../../core/jwt/claims.ts'
import { askReviewer, reviewedAccount } from '../../core/jwt/review.ts'
import type { ConfigRecord } from './config-record.ts'
import { localCa, localToken, UNREADABLE } from './local.ts'

export interface TokenToReview {
  /** The token that logs in. */
  readonly text: string
  /** The audiences of which it must be meant for one; empty means the server's own. */
  readonly audiences: readonly string[]
  /** The service account that the token claims. */
  readonly account: ServiceAccount
}

/** Where the kernel has a reviewer, the reviewer must agree. @throws KernelError 403, whatever the reason. */
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
  const outcome = tx.once('review', () => askReviewer(tokenReviewer, request, tx.env.closing), 'attempt')
  const { namespace, name, uid } = reviewedAccount(outcome, audiences)
  if (name !== account.name || uid !== account.uid || namespace !== account.namespace) throw refuseLogin('review-mismatch')
}

/** Null trusts the platform, and is allowed only where keys verify too. @throws KernelError 403 */
function trustedCertificates(tx: Tx, { ca_cert, pem_keys, disable_local_ca_jwt }: ConfigRecord): string | null {
  if (ca_cert !== '') return ca_cert
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === UNREADABLE || (local === null && pem_keys.length === 0)) throw refuseLogin('local-ca-unreadable')
  return local
}

/** Without a reviewer's token, the token that logs in authorises its own review. */
function reviewerToken(tx: Tx, { token_reviewer_jwt, disable_local_ca_jwt }: ConfigRecord, login: string): string {
  const configured = token_reviewer_jwt.trim()
  if (configured !== '') return configured
  return (disable_local_ca_jwt ? '' : localToken(tx)) || login
}
