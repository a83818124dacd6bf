/** Logins to a kubernetes method, whose API server is a fake port. */
import { describe, expect, it } from 'vitest'
import type { ReviewFailure, TokenReviewAnswer } from '../../../../src/index.ts'
import { fakeTokenReviewer } from '../../../../src/testing/index.ts'
import { certificatePem, RSA, token } from '../../core/jwt/tokens.ts'
import { logIn, NOW, refusalOf, strangersAllowance } from './logging-in.ts'

const CONFIG = { Host: 'https://api.example:6443', CACert: certificatePem(RSA), ServiceAccountJWT: `${token('RS256')}\n` }
const BEARER = token('RS256', {
  'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'web', uid: 'u-1' } },
  exp: NOW + 600,
})
const user = (username: string, uid: unknown = 'u-1') => ({ authenticated: true, user: { username, uid } }) as TokenReviewAnswer

describe.each(['kubernetes', 'orchestrator'])('a login with auth method type %s', (type) => {
  it('accepts a token that the API server confirms, and returns the service account', async () => {
    const reviewer = fakeTokenReviewer()
    expect(await logIn(type, CONFIG, `${BEARER}\n`, { reviewer })).toEqual({
      selectable: { serviceaccount: { namespace: 'prod', name: 'web', uid: 'u-1' } },
      variables: { 'serviceaccount.namespace': 'prod', 'serviceaccount.name': 'web', 'serviceaccount.uid': 'u-1' },
    })
    const { Host: host, CACert: caCert, ServiceAccountJWT } = CONFIG
    expect(reviewer.requests).toEqual([{ host, caCert, bearer: ServiceAccountJWT.trim(), token: BEARER, audiences: [] }])
  })
})

it('a Kubernetes login uses the identity that the API server returns, not the claims in the token', async () => {
  const reviewer = fakeTokenReviewer()
  reviewer.answer(user('system:serviceaccount:other:db', ''))
  const { selectable } = await logIn('kubernetes', CONFIG, BEARER, { reviewer })
  expect(selectable).toEqual({ serviceaccount: { namespace: 'other', name: 'db', uid: '' } })
})

it.each<readonly [string, TokenReviewAnswer, string]>([
  ['says that the token is not authenticated', { authenticated: false }, 'review-not-authenticated'],
  ['has an error', { ...user('system:serviceaccount:a:b'), error: 'no' }, 'review-error'],
  ['has no user', { authenticated: true }, 'review-no-service-account'],
  ['names a human user', user('somebody'), 'review-no-service-account'],
  ['has three parts', user('system:serviceaccount:a'), 'review-no-service-account'],
  ['has five parts', user('system:serviceaccount:a:b:c'), 'review-no-service-account'],
  ['names a node', user('system:node:a:b'), 'review-no-service-account'],
  ['has no name', user('system:serviceaccount:a:'), 'review-no-service-account'],
  ['has no namespace', user('system:serviceaccount::b'), 'review-no-service-account'],
  ['has a name too long', user(`system:serviceaccount:a:${'b'.repeat(254)}`), 'review-no-service-account'],
  ['has a uid that is not a string', user('system:serviceaccount:a:b', 7), 'review-no-service-account'],
  ['is null', null as never, 'protocol'],
])('a Kubernetes login is refused if the response %s', async (_, answer, reason) => {
  const reviewer = fakeTokenReviewer()
  reviewer.answer(answer === null ? () => answer : answer)
  expect(await refusalOf(logIn('kubernetes', CONFIG, BEARER, { reviewer }))).toBe(reason)
})

it.each<ReviewFailure>(['reviewer-unauthorized', 'reviewer-forbidden', 'transport', 'timeout', 'protocol'])(
  'a Kubernetes login is refused if the review fails by %s',
  async (failure) => {
    const reviewer = fakeTokenReviewer()
    reviewer.fail(failure)
    expect(await refusalOf(logIn('kubernetes', CONFIG, BEARER, { reviewer }))).toBe(failure)
  },
)

it('a Kubernetes login is refused if the application provides no token reviewer port', async () => {
  expect(await refusalOf(logIn('kubernetes', CONFIG, BEARER))).toBe('nothing-to-verify-with')
})

it.each([
  '',
  'x',
  'a.b.c',
  '...',
  `${'x'.repeat(20_000)}.x.x`,
  BEARER.replaceAll('.', '..'),
  `${BEARER}.${BEARER}`,
  `${BEARER}\r\nX: y`,
])('a Kubernetes login does not send a malformed token to the API server: %#', async (bearer) => {
  const reviewer = fakeTokenReviewer()
  expect(await refusalOf(logIn('kubernetes', CONFIG, bearer, { reviewer }))).toBe('token-malformed')
  expect(reviewer.requests).toEqual([])
})

it('only reviews that refuse the token count toward the limit for unauthenticated callers', async () => {
  const reviewer = fakeTokenReviewer()
  const allowance = strangersAllowance()
  const attempt = () => refusalOf(logIn('kubernetes', CONFIG, BEARER, { reviewer, allowance }))
  reviewer.fail('transport')
  for (let time = 0; time < 10; time++) expect(await attempt()).toBe('transport')
  reviewer.fail()
  for (let time = 0; time < 10; time++) expect(await attempt()).toBeUndefined()
  reviewer.answer({ authenticated: false })
  for (let time = 0; time < 1000; time++) await attempt()
  await expect(attempt()).rejects.toMatchObject({ status: 429 })
  expect(reviewer.requests.length).toBe(1020)
})
