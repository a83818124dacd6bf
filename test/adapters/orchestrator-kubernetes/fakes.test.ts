import { describe, expect, it } from 'vitest'
import { fakeLocalEnvironment, fakeTokenReviewer } from '../../../src/testing/index.ts'
import { reviewerAsApi, startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { describeRecordings, recordedModes, reviewedExchanges } from './recordings.ts'
import { BOUND, LEGACY, tokenOf } from './tokens.ts'

const { signal } = new AbortController()
const request = {
  host: 'https://api.example',
  caCert: null,
  bearer: 'the-reviewer',
  token: tokenOf(BOUND),
  audiences: ['a', 'b'],
}
const user = {
  username: 'system:serviceaccount:prod:web',
  uid: '77c81ad7-1bea-4d94-9ca5-f5d7f3632331',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:prod', 'system:authenticated'],
}

describe('fakeTokenReviewer', () => {
  it('authenticates the user named in the token for the requested audiences, and records the requests', async () => {
    const reviewer = fakeTokenReviewer()
    expect(await reviewer.review(request, signal)).toEqual({ authenticated: true, user, audiences: ['a', 'b'] })
    const legacy = { ...request, token: tokenOf(LEGACY), audiences: [] }
    expect(await reviewer.review(legacy, signal)).toEqual({ authenticated: true, user })
    expect(reviewer.requests).toEqual([request, legacy])
  })

  it.each(['', 'a.b.c', 'garbage', tokenOf(null), tokenOf({ 'kubernetes.io': { namespace: 'prod' } })])(
    'does not authenticate the token %j, which names no service account',
    async (token) => {
      expect(await fakeTokenReviewer().review({ ...request, token }, signal)).toEqual({
        authenticated: false,
        error: 'invalid bearer token',
      })
    },
  )

  it('returns the answer given to answer() until it is reset', async () => {
    const reviewer = fakeTokenReviewer()
    reviewer.answer({ authenticated: false, error: 'revoked' })
    expect(await reviewer.review(request, signal)).toEqual({ authenticated: false, error: 'revoked' })
    reviewer.answer((believed, { host }) => ({ ...believed, audiences: [host] }))
    expect(await reviewer.review(request, signal)).toEqual({ authenticated: true, user, audiences: ['https://api.example'] })
    reviewer.answer()
    expect(await reviewer.review(request, signal)).toMatchObject({ audiences: ['a', 'b'] })
  })

  it('fails with the reason or error given to fail() until it is reset', async () => {
    const reviewer = fakeTokenReviewer()
    reviewer.fail('timeout')
    await expect(reviewer.review(request, signal)).rejects.toMatchObject({ reason: 'timeout' })
    const error = new Error('mine')
    reviewer.fail(error)
    await expect(reviewer.review(request, signal)).rejects.toBe(error)
    reviewer.fail()
    expect((await reviewer.review(request, signal)).authenticated).toBe(true)
    expect(reviewer.requests).toHaveLength(3)
  })

  it('rejects if the signal is aborted', async () => {
    await expect(fakeTokenReviewer().review(request, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('fakeLocalEnvironment', () => {
  it('returns null for each value that it was not given', async () => {
    const nothing = fakeLocalEnvironment()
    expect(await nothing.caCert(signal)).toBeNull()
    expect(await nothing.serviceAccountToken(signal)).toBeNull()
    const pod = fakeLocalEnvironment({ caCert: 'pem', token: 'local' })
    expect(await pod.caCert(signal)).toBe('pem')
    expect(await pod.serviceAccountToken(signal)).toBe('local')
  })

  it('rejects with an Error that it was given as a value', async () => {
    const error = new Error('EACCES')
    await expect(fakeLocalEnvironment({ caCert: error }).caCert(signal)).rejects.toBe(error)
    await expect(fakeLocalEnvironment({ token: error }).serviceAccountToken(signal)).rejects.toBe(error)
  })
})

describeRecordings('the TokenReview test server', () => {
  it.each(reviewedExchanges())('answers as recorded: $name', async ({ host_path, request: sent, response }) => {
    await using api = await startTokenReviewApi()
    const answered = await fetch(`${api.url}${sent.path}`, { method: 'POST', body: JSON.stringify({ spec: sent.body.spec }) })
    expect(answered.status).toBe(response.status)
    const text = await answered.text()
    expect(typeof response.body === 'string' ? text : JSON.parse(text)).toEqual(response.body)
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${host_path.replace(/\/$/, '')}${PATH}`])
  })

  it.each(recordedModes())('answers requests for the path of the mode %s, but not for a longer path', async (mode) => {
    await using api = await startTokenReviewApi()
    const status = async (path: string): Promise<number> => {
      const body = JSON.stringify({ spec: { token: request.token } })
      return (await fetch(`${api.url}/${path}${PATH}`, { method: 'POST', body })).status
    }
    expect(await status(mode)).not.toBe(404)
    expect(await status(`${mode}-not`)).toBe(404)
  })

  it('can be called as a token reviewer port without HTTP', async () => {
    const port = reviewerAsApi('https://api.example')
    expect(await port.review({ ...request, host: 'https://api.example/' }, signal)).toEqual({
      authenticated: true,
      user,
      audiences: ['a', 'b'],
    })
    expect(await port.review({ ...request, host: 'https://api.example/refuse' }, signal)).toEqual({
      authenticated: false,
      user: { username: '', uid: '' },
    })
    const unauthorized = port.review({ ...request, host: 'https://api.example/unauthorized' }, signal)
    await expect(unauthorized).rejects.toMatchObject({ reason: 'reviewer-unauthorized' })
    const elsewhere = port.review({ ...request, host: 'https://elsewhere.example' }, signal)
    await expect(elsewhere).rejects.toMatchObject({ reason: 'transport' })
  })
})

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews'
