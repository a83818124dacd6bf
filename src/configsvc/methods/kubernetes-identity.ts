/** Verifies tokens for kubernetes methods by a token review of the Kubernetes API server. */
import { refuseLogin, takeLoginAllowance } from '../../core/contract/login-refusal.ts'
import { type ReviewOutcome, requestReview, reviewedAccount } from '../../core/jwt/review.ts'
import type { TokenReviewer, TokenReviewRequest } from '../../core/jwt/token-reviewer.ts'
import { compactJws } from './compact-jws.ts'
import type { LoginIdentity, LoginWork } from './identity.ts'
import type { KubernetesConfig } from './kubernetes-config.ts'

/** The cost of a token review, charged to the allowance for unauthenticated callers. */
const REVIEW_COST = 1

/** @throws KernelError 403 if the token is refused, whatever the reason; 429 after too many reviews of invalid tokens */
export function kubernetesIdentity(config: KubernetesConfig, bearer: string, work: LoginWork): LoginIdentity {
  const { reviewer } = work
  if (!reviewer) throw refuseLogin('nothing-to-verify-with')
  const token = compactJws(bearer)
  if (token === undefined) throw refuseLogin('token-malformed')
  const { Host: host, CACert: caCert, ServiceAccountJWT } = config
  const request = { host, caCert, bearer: ServiceAccountJWT.trim(), token, audiences: [] }
  const { namespace, name, uid } = reviewedAccount(
    work.once('review', () => review(reviewer, request, work)),
    [],
  )
  if (typeof uid !== 'string' || ![namespace, name].every(isName) || uid.length > MAX_ACCOUNT_NAME_CHARACTERS)
    throw refuseLogin('review-no-service-account')
  return accountIdentity({ namespace, name, uid })
}

/**
 * Requests a token review, and charges its cost to the allowance. The cost is given back if the token was valid or the API server did not
 * answer, because only reviews of invalid tokens are limited.
 */
async function review(reviewer: TokenReviewer, request: TokenReviewRequest, work: LoginWork): Promise<ReviewOutcome> {
  takeLoginAllowance(work.allowance, REVIEW_COST)
  const outcome = await requestReview(reviewer, request, work.signal)
  if ('failure' in outcome || (outcome.answer.authenticated && !outcome.answer.error)) work.allowance.giveBack(REVIEW_COST)
  return outcome
}

/** The maximum length of a service account's name (an RFC 1123 subdomain). Names of namespaces and uids are shorter. */
const MAX_ACCOUNT_NAME_CHARACTERS = 253
const isName = (text: string): boolean => text !== '' && text.length <= MAX_ACCOUNT_NAME_CHARACTERS

export const SERVICE_ACCOUNT_MEMBERS = ['namespace', 'name', 'uid'] as const
export type ServiceAccountName = Readonly<Record<(typeof SERVICE_ACCOUNT_MEMBERS)[number], string>>

export function accountIdentity(account: ServiceAccountName): LoginIdentity {
  const variables = SERVICE_ACCOUNT_MEMBERS.map((member) => [accountPath(member), account[member]] as const)
  return { selectable: { serviceaccount: account }, variables: Object.fromEntries(variables) }
}

export const accountPath = (member: (typeof SERVICE_ACCOUNT_MEMBERS)[number]): string => `serviceaccount.${member}`
