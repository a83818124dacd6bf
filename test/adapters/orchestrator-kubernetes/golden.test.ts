import { expect, it } from 'vitest'
import { readAnswer } from '../../../src/adapters/orchestrator-kubernetes/answer.ts'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { reviewerAsApi, startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { describeRecordings, reviewedExchanges } from './recordings.ts'

const { signal } = new AbortController()
const outcome = (review: Promise<unknown>): Promise<unknown> =>
  review.catch((error: { readonly reason: unknown }) => error.reason)

describeRecordings('recorded token reviews', () => {
  it.each(reviewedExchanges())(
    'are reproduced by kubernetesTokenReviewer: $name',
    async ({ host_path, token_reviewer_jwt, jwt, request, response, login }) => {
      await using api = await startTokenReviewApi()
      const reviewRequest = {
        host: api.url + host_path,
        caCert: null,
        bearer: token_reviewer_jwt ?? jwt,
        token: jwt,
        audiences: request.body.spec.audiences ?? [],
      }
      const came = await outcome(kubernetesTokenReviewer().review(reviewRequest, signal))

      expect(api.requests).toHaveLength(1)
      const [sent] = api.requests
      const { authorization, accept, 'content-type': type } = sent?.headers ?? {}
      expect({ method: sent?.method, path: sent?.path, spec: sent?.body.spec, accept, type }).toEqual({
        method: request.method,
        path: request.path,
        spec: request.body.spec,
        accept: request.headers.accept,
        type: request.headers['content-type'],
      })
      // OpenBao keeps white space around a reviewer's token.
      expect(authorization).toBe(request.headers.authorization?.replace(/^Bearer +/, 'Bearer '))
      expect(sent?.body).toMatchObject({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' })

      const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
      const recorded = await outcome(Promise.resolve().then(() => readAnswer(response.status, text)))
      expect(came).toEqual(recorded)
      expect(await outcome(reviewerAsApi(api.url).review(reviewRequest, signal))).toEqual(recorded)
      // A successful login requires an answer that authenticates.
      if (login.status === 200) expect(came).toMatchObject({ authenticated: true })
    },
  )

  it('contain more than 20 exchanges', () => expect(reviewedExchanges().length).toBeGreaterThan(20))
})
