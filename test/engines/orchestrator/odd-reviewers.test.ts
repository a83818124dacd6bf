/** Reviewers and environments that fail or break their contract lead to a refused login, never to an internal error. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REVIEW_FAILURES, type TokenReviewAnswer } from '../../../src/core/jwt/token-reviewer.ts'
import type { LocalEnvironment, TokenReviewer } from '../../../src/index.ts'
import { fakeTokenReviewer } from '../../../src/testing/index.ts'
import { REFUSED, VIEWS } from './views.ts'
import { jwtOf, openWorld, turns, WEB, type WorldOptions } from './world.ts'

/** Part of every failure; it must not appear in any output. */
const MARK = 'hunter2'
const boom = (): never => {
  throw new Error(MARK)
}

const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(async () => {
  await turns()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

const JWT = jwtOf(WEB, { aud: ['api'] })

/** Logs in by typed call and by path, expects equal refusals without error details, and returns the refusal reason. */
async function refuses(options: WorldOptions): Promise<unknown> {
  await using world = await openWorld(options)
  for (const view of VIEWS) {
    const { status, errors, text } = await world.login(view, JWT)
    expect({ status, errors }).toEqual(REFUSED)
    expect(text).not.toContain(MARK)
  }
  const refusals = await world.refusals()
  expect(refusals).toHaveLength(VIEWS.length)
  expect(JSON.stringify([refusals, world.audit])).not.toContain(MARK)
  expect(new Set(refusals.map(({ reason }) => reason)).size).toBe(1)
  return refusals[0]?.reason
}

const reviewing = (review: (...args: Parameters<TokenReviewer['review']>) => unknown): WorldOptions => ({
  reviewer: { review } as unknown as TokenReviewer,
})

describe('a login whose token reviewer throws', () => {
  it.each(REVIEW_FAILURES)('is refused, and the event contains the reason of the thrown error: %s', async (reason) => {
    const reviewer = fakeTokenReviewer()
    reviewer.fail(reason)
    expect(await refuses({ reviewer })).toBe(reason)
  })

  it.each<readonly [what: string, thrown: unknown]>([
    ['an error', new Error(MARK)],
    ['an error with an unknown reason', Object.assign(new Error(MARK), { reason: MARK })],
    ['an error whose reason is a property of Object.prototype', Object.assign(new Error(MARK), { reason: 'constructor' })],
    ['an error with a login refusal reason', Object.assign(new Error(MARK), { reason: 'expired' })],
    ['a string', MARK],
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a symbol', Symbol(MARK)],
    [
      'an object with a throwing getter',
      {
        get reason() {
          return boom()
        },
      },
    ],
    ['a proxy that throws', new Proxy(new Error(MARK), { get: boom, has: boom, getPrototypeOf: boom })],
  ])('is refused with the reason transport if the thrown value is %s', async (_, thrown) => {
    const rejects = async () => {
      throw thrown
    }
    expect(await refuses(reviewing(rejects))).toBe('transport')
    const throws = () => {
      throw thrown
    }
    expect(await refuses(reviewing(throws))).toBe('transport')
  })

  it('is refused with the reason of the thrown value even if it is not an Error', async () => {
    expect(await refuses(reviewing(() => Promise.reject({ reason: 'timeout' })))).toBe('timeout')
  })
})

const good: TokenReviewAnswer = {
  authenticated: true,
  audiences: ['api'],
  user: { username: `system:serviceaccount:${WEB.namespace}:${WEB.name}`, uid: WEB.uid },
}
const user = (members: object) => ({ ...good, user: { ...good.user, ...members } })

describe('a login whose token reviewer returns an unusual answer', () => {
  it.each<readonly [what: string, answer: unknown, reason: string]>([
    ['null', null, 'protocol'],
    ['undefined', undefined, 'protocol'],
    ['a number', 7, 'review-not-authenticated'],
    ['a string', 'authenticated', 'review-not-authenticated'],
    ['a list', [good], 'review-not-authenticated'],
    ['an empty object', {}, 'review-not-authenticated'],
    ['a promise as authenticated', { ...good, authenticated: Promise.resolve(true) }, 'review-not-authenticated'],
    ['authenticated 1', { ...good, authenticated: 1 }, 'review-not-authenticated'],
    ['authenticated "true"', { ...good, authenticated: 'true' }, 'review-not-authenticated'],
    ['an object as the error', { ...good, error: {} }, 'review-error'],
    ['a number as the error', { ...good, error: 7 }, 'review-error'],
    ['null audiences', { ...good, audiences: null }, 'review-audience-mismatch'],
    ['a string as audiences', { ...good, audiences: 'api' }, 'review-audience-mismatch'],
    ['an object as audiences', { ...good, audiences: { 0: 'api', length: 1 } }, 'review-audience-mismatch'],
    ['an audience in another case', { ...good, audiences: ['API'] }, 'review-audience-mismatch'],
    ['a null user', { ...good, user: null }, 'review-no-service-account'],
    ['a string as the user', { ...good, user: good.user?.username }, 'review-no-service-account'],
    ['a list as the username', user({ username: [good.user?.username] }), 'review-no-service-account'],
    ['a number as the username', user({ username: 7 }), 'review-no-service-account'],
    ['a username of three parts', user({ username: 'system:serviceaccount:prod' }), 'review-no-service-account'],
    ['a list as the UID', user({ uid: [WEB.uid] }), 'review-mismatch'],
    ['a missing UID', user({ uid: undefined }), 'review-mismatch'],
    [
      'a throwing getter',
      {
        ...good,
        get user() {
          return boom()
        },
      },
      'protocol',
    ],
    ['a list that throws on access', { ...good, audiences: new Proxy(['api'], { get: boom }) }, 'protocol'],
    ['a proxy that throws on access', new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : boom()) }), 'protocol'],
  ])('is refused for %s', async (_, answer, reason) => {
    expect(await refuses(reviewing(async () => answer))).toBe(reason)
    expect(await refuses(reviewing(() => answer))).toBe(reason)
  })

  it('is accepted if the reviewer returns a thenable or no promise at all', async () => {
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
    for (const review of [() => good, () => ({ then: (resolve: (answer: unknown) => void) => resolve(good) })]) {
      await using world = await openWorld(reviewing(review))
      for (const view of VIEWS) expect((await world.login(view, JWT)).status).toBe(200)
    }
  })

  it('reads each member of the answer once', async () => {
    let looks = 0
    const review = async () => ({
      ...good,
      get authenticated() {
        return ++looks % 2 === 1
      },
    })
    await using world = await openWorld(reviewing(review))
    expect((await world.login(VIEWS[1] as (typeof VIEWS)[number], JWT)).status).toBe(200)
    expect(looks).toBe(1)
  })
})

describe('a login whose local environment fails', () => {
  const fine = { caCert: async () => 'PEM', serviceAccountToken: async () => 'local-token' }
  const strange: readonly (readonly [what: string, found: () => unknown])[] = [
    ['throws', boom],
    ['rejects with an error', async () => boom()],
    ['returns undefined', () => undefined],
    ['returns a number', () => 7],
    ['resolves to an object', async () => ({})],
    ['rejects with null', () => Promise.reject(null)],
  ]

  it.each(strange)('is refused if caCert %s', async (_, caCert) => {
    const local = { ...fine, caCert } as unknown as LocalEnvironment
    expect(await refuses({ local, reviewer: fakeTokenReviewer() })).toBe('local-ca-unreadable')
  })

  it.each(strange)(
    'is reviewed with the login token as the bearer token if serviceAccountToken %s',
    async (_, serviceAccountToken) => {
      const local = { ...fine, serviceAccountToken } as unknown as LocalEnvironment
      const reviewer = fakeTokenReviewer()
      await using world = await openWorld({ local, reviewer })
      for (const view of VIEWS) expect((await world.login(view, JWT)).status).toBe(200)
      expect(reviewer.requests.map(({ bearer }) => bearer)).toEqual(VIEWS.map(() => JWT))
    },
  )
})
