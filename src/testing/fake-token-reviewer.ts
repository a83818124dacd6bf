import { decodeBase64Url } from '../core/base/base64.ts'
import type { ReviewFailure, TokenReviewAnswer, TokenReviewer, TokenReviewRequest } from '../core/jwt/token-reviewer.ts'

export interface FakeTokenReviewer extends TokenReviewer {
  /** All requests, the oldest first. */
  readonly requests: readonly TokenReviewRequest[]
  /**
   * Sets the answer of all later reviews, or a function that computes it from the default answer. Without an argument, the reviewer gives
   * its default answers again.
   */
  answer(answer?: TokenReviewAnswer | ((believed: TokenReviewAnswer, request: TokenReviewRequest) => TokenReviewAnswer)): void
  /**
   * Makes all later reviews fail, with the error for a reason of the port or with a given error. Without an argument, reviews succeed
   * again.
   */
  fail(reason?: ReviewFailure | Error): void
}

/**
 * Returns a token reviewer for tests that accepts the token of every service account. It ignores signatures and times. A token that names
 * no service account is not authenticated.
 */
export function fakeTokenReviewer(): FakeTokenReviewer {
  const requests: TokenReviewRequest[] = []
  let told: Parameters<FakeTokenReviewer['answer']>[0]
  let failure: Error | undefined
  return {
    requests,
    answer(answer) {
      told = answer
    },
    fail(reason) {
      failure = typeof reason === 'string' ? Object.assign(new Error(`fakeTokenReviewer: ${reason}`), { reason }) : reason
    },
    async review(request, signal) {
      signal.throwIfAborted()
      requests.push(request)
      if (failure) throw failure
      return typeof told === 'function' ? told(believe(request), request) : (told ?? believe(request))
    },
  }
}

/** Returns the API server's answer for a valid token: the service account in the token's claims, and the requested audiences. */
export function believe({ token, audiences }: Pick<TokenReviewRequest, 'token' | 'audiences'>): TokenReviewAnswer {
  const account = readAccount(token)
  if (!account) return { authenticated: false, error: 'invalid bearer token' }
  const { namespace, name, uid } = account
  return {
    authenticated: true,
    user: {
      username: `system:serviceaccount:${namespace}:${name}`,
      uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    },
    ...(audiences.length > 0 && { audiences }),
  }
}

interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

interface Claims {
  readonly [flat: string]: unknown
  readonly 'kubernetes.io'?: {
    readonly namespace?: unknown
    readonly serviceaccount?: { readonly name?: unknown; readonly uid?: unknown } | null
  } | null
}

const FLAT = 'kubernetes.io/serviceaccount/'

/**
 * Reads the service account from the claims of a token. Bound tokens have it in a nested claim, tokens in Kubernetes secrets in flat
 * claims.
 */
function readAccount(token: string): Account | undefined {
  const claims = readClaims(token)
  const bound = claims?.['kubernetes.io']
  const namespace = text(bound?.namespace ?? claims?.[`${FLAT}namespace`])
  const name = text(bound?.serviceaccount?.name ?? claims?.[`${FLAT}service-account.name`])
  const uid = text(bound?.serviceaccount?.uid ?? claims?.[`${FLAT}service-account.uid`])
  return namespace && name ? { namespace, name, uid } : undefined
}

const text = (claim: unknown): string => (typeof claim === 'string' ? claim : '')

function readClaims(token: string): Claims | undefined {
  try {
    const payload = decodeBase64Url(token.trim().split('.')[1] ?? '', 'token')
    return JSON.parse(new TextDecoder().decode(payload)) as Claims
  } catch {
    return undefined
  }
}
