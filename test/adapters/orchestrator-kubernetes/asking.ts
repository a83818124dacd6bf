/**
 * Token reviews with the arguments that a kernel passes, and checks of their failures.
 */
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { kubernetesTokenReviewer, TokenReviewError } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import type { ReviewFailure, TokenReviewAnswer, TokenReviewer, TokenReviewRequest } from '../../../src/core/jwt/token-reviewer.ts'
import { BOUND, tokenOf } from './tokens.ts'

export const TOKEN = tokenOf(BOUND)
export const BEARER = 'the-reviewers-own-token'

/** Reviews a token of the account `web` in the namespace `prod`, for the audience `a`. */
export const review = (
  reviewer: TokenReviewer,
  request: Partial<TokenReviewRequest>,
  signal: AbortSignal = new AbortController().signal,
): Promise<TokenReviewAnswer> =>
  reviewer.review({ host: '', caCert: null, bearer: BEARER, token: TOKEN, audiences: ['a'], ...request }, signal)

/** Expects a failure with that reason that contains neither token, at any depth and in any representation. */
export async function refusal(review: Promise<unknown>, reason: ReviewFailure): Promise<TokenReviewError> {
  const error = await review.then(
    (answer) => expect.unreachable(`answered ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof TokenReviewError)) throw error
  expect(`${error.reason}: ${error.message}`).toMatch(new RegExp(`^${reason}: token review: .`))
  const shown = `${inspect(error, { depth: 10, showHidden: true, maxArrayLength: null, maxStringLength: null })} ${JSON.stringify(error)}`
  for (const secret of [TOKEN, BEARER])
    for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('hex').match(/../g)?.join(' ')])
      expect(shown).not.toContain(form)
  return error
}

/** Rows of a table of texts, each with a title of at most 60 characters. */
export const titled = (texts: readonly string[]): readonly (readonly [title: string, text: string])[] =>
  texts.map((text) => [text.length > 60 ? `${text.slice(0, 60)}...` : text, text])

/** A reviewer with a short deadline, for servers that never answer. */
export const impatient = (timeoutMs = 300): TokenReviewer => kubernetesTokenReviewer({ timeoutMs })
