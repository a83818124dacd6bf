import { describe, expect, it } from 'vitest'
import { readAnswer } from '../../../src/adapters/orchestrator-kubernetes/answer.ts'
import { refusal, TOKEN, titled } from './asking.ts'

const refused = (status: number, body: unknown, reason: Parameters<typeof refusal>[1]) =>
  refusal(
    Promise.resolve().then(() => readAnswer(status, typeof body === 'string' ? body : JSON.stringify(body))),
    reason,
  )
const review = (status: unknown): string =>
  JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: TOKEN }, status })

describe('the answer to a TokenReview', () => {
  it('is returned with its user, audiences and error', () => {
    const status = {
      authenticated: true,
      user: {
        username: 'system:serviceaccount:prod:web',
        uid: 'u',
        groups: ['g', 'h'],
        extra: { 'authentication.kubernetes.io/pod-name': ['web-0'], __proto__: ['p'] },
      },
      audiences: ['a'],
      error: 'odd',
    }
    const text = review(status).replace('"extra":{', '"extra":{"__proto__":["p"],')
    const answer = readAnswer(201, text)
    expect(answer).toMatchObject({
      authenticated: true,
      error: 'odd',
      audiences: ['a'],
      user: { username: status.user.username },
    })
    expect(Object.entries(answer.user?.extra ?? {})).toEqual([
      ['__proto__', ['p']],
      ['authentication.kubernetes.io/pod-name', ['web-0']],
    ])
  })

  it.each([{}, { authenticated: null, error: null, audiences: null, user: null }, { authenticated: false }])(
    'means unauthenticated if the review status is %j',
    (status) => {
      expect(readAnswer(200, review(status))).toEqual({ authenticated: false })
    },
  )

  it('contains empty values for missing members of the user', () => {
    expect(readAnswer(200, review({ authenticated: true, user: {} }))).toEqual({
      authenticated: true,
      user: { username: '', uid: '' },
    })
    expect(readAnswer(200, review({ user: { username: null, uid: null, groups: null, extra: { a: null } } })).user).toEqual({
      username: '',
      uid: '',
      extra: { a: [] },
    })
  })

  it.each([200, 201, 202, 203, 204, 205, 206])('is accepted with the HTTP status %i', (status) => {
    expect(readAnswer(status, review({ authenticated: true }))).toEqual({ authenticated: true })
  })

  it.each([
    [401, 'reviewer-unauthorized'],
    [403, 'reviewer-forbidden'],
    ...[199, 207, 226, 300, 301, 302, 304, 307, 308, 400, 404, 409, 429, 500, 503].map((status) => [status, 'protocol'] as const),
  ] as const)('is refused with the HTTP status %i, whatever the body is', async (status, reason) => {
    expect((await refused(status, review({ authenticated: true }), reason)).message).toContain(String(status))
    await refused(status, '', reason)
  })

  it.each([
    [{ status: 'Failure', code: 401 }, 'reviewer-unauthorized'],
    [{ status: 'Failure', code: 403, message: TOKEN, reason: TOKEN }, 'reviewer-forbidden'],
    [{ status: 'Failure', code: 0 }, 'protocol'],
    [{ status: 'Failure' }, 'protocol'],
    [{ status: 'Failure', code: '401' }, 'protocol'],
    [{ status: TOKEN, code: TOKEN }, 'protocol'],
    [{ status: { authenticated: true } }, 'protocol'],
    [{}, 'protocol'],
  ] as const)('is read as an error if it is the Status %j', async (status, reason) => {
    await refused(200, { kind: 'Status', apiVersion: 'v1', ...status }, reason)
  })

  it('means unauthenticated if it is a Status object with the status Success', () => {
    expect(readAnswer(200, '{"kind":"Status","status":"Success"}')).toEqual({ authenticated: false })
  })

  it.each(
    titled([
      '',
      ' ',
      'null',
      'true',
      '1',
      '"text"',
      '[]',
      '<html></html>',
      `{"kind":"TokenReview","spec":{"token":"${TOKEN}`,
      `${TOKEN}`,
      '{}',
      '{"kind":"TokenReview"}',
      '{"kind":"TokenReview","status":null}',
      '{"kind":"TokenReview","status":[]}',
      '{"kind":"TokenReview","status":"Success"}',
      '{"kind":"Pod","status":{"authenticated":true}}',
      '{"kind":null,"status":{"authenticated":true}}',
      '[{"kind":"TokenReview","status":{"authenticated":true}}]',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    ]),
  )('is refused if it is not a TokenReview: %s', async (_, text) => {
    await refused(201, text, 'protocol')
  })

  it.each([
    { authenticated: 'true' },
    { authenticated: 1 },
    { authenticated: true, error: 7 },
    { authenticated: true, error: {} },
    { authenticated: true, audiences: 'a' },
    { authenticated: true, audiences: [1] },
    { authenticated: true, audiences: {} },
    { authenticated: true, user: 'alice' },
    { authenticated: true, user: [] },
    { authenticated: true, user: { username: 5 } },
    { authenticated: true, user: { username: 'a', uid: 5 } },
    { authenticated: true, user: { username: 'a', groups: 'g' } },
    { authenticated: true, user: { username: 'a', groups: [null] } },
    { authenticated: true, user: { username: 'a', extra: [] } },
    { authenticated: true, user: { username: 'a', extra: { a: 'b' } } },
  ])('is refused if a member has the wrong type: %j', async (status) => {
    await refused(201, review(status), 'protocol')
  })
})
