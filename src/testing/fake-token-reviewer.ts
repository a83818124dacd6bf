/**
 * An orchestrator that believes every token, or answers what it was told.
 */
import { decodeBase64Url } from '../core/base/base64.ts'
import type { ReviewFailure, TokenReviewAnswer, TokenReviewer, TokenReviewRequest } from '../engines/orchestrator/port.ts'

export interface FakeTokenReviewer extends TokenReviewer {
  /** What was asked so far, the oldest first. */
  readonly requests: readonly TokenReviewRequest[]
  /** What every later review comes to, or how it is made of what the token says. With nothing it believes tokens again. */
  answer(answer?: TokenReviewAnswer | ((believed: TokenReviewAnswer, request: TokenReviewRequest) => TokenReviewAnswer)): void
  /** Every later review comes to no answer: for one of the reasons of the port, or with an error of yours. With nothing it answers again. */
  fail(reason?: ReviewFailure | Error): void
}

/**
 * Stands in for an API server that knows every service account. Signatures and times are not looked at; a token that does not say
 * whose it is is not authenticated.
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

/** What an API server says of a token that is good: its claims, and the audiences asked for. */
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

/** Bound tokens keep it in an object, those of secrets in flat claims. */
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
