/** Reviewers and environments that fail, answer nonsense or break their contract: a refused login each, never an error of the kernel's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REVIEW_FAILURES, type TokenReviewAnswer } from '../../../src/core/jwt/token-reviewer.ts'
import type { LocalEnvironment, TokenReviewer } from '../../../src/index.ts'
import { fakeTokenReviewer } from '../../../src/testing/index.ts'
import { REFUSED, VIEWS } from './views.ts'
import { jwtOf, openWorld, turns, WEB, type WorldOptions } from './world.ts'

/** Part of everything that goes wrong here: nobody is to see it. */
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

/** That both views refuse, alike, without a word of what happened; with the reason that is told elsewhere. */
async function refuses(options: WorldOptions): Promise<unknown> {
  await using world = await openWorld(options)
  for (const view of VIEWS) {
    const { status, errors, told } = await world.login(view, JWT)
    expect({ status, errors }).toEqual(REFUSED)
    expect(told).not.toContain(MARK)
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

describe('a reviewer that throws', () => {
  it.each(REVIEW_FAILURES)('%s', async (reason) => {
    const reviewer = fakeTokenReviewer()
    reviewer.fail(reason)
    expect(await refuses({ reviewer })).toBe(reason)
  })

  it.each<readonly [what: string, thrown: unknown]>([
    ['an error', new Error(MARK)],
    ['an error with a reason of its own', Object.assign(new Error(MARK), { reason: MARK })],
    ['a reason that others inherit', Object.assign(new Error(MARK), { reason: 'constructor' })],
    ['a login reason that is none of a review', Object.assign(new Error(MARK), { reason: 'expired' })],
    ['a text', MARK],
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a symbol', Symbol(MARK)],
    [
      'a getter that throws',
      {
        get reason() {
          return boom()
        },
      },
    ],
    ['a proxy that throws', new Proxy(new Error(MARK), { get: boom, has: boom, getPrototypeOf: boom })],
  ])('%s', async (_, thrown) => {
    const rejects = async () => {
      throw thrown
    }
    expect(await refuses(reviewing(rejects))).toBe('transport')
    const throws = () => {
      throw thrown
    }
    expect(await refuses(reviewing(throws))).toBe('transport')
  })

  it('the reason of an error that is no instance of Error counts', async () => {
    expect(await refuses(reviewing(() => Promise.reject({ reason: 'timeout' })))).toBe('timeout')
  })
})

const good: TokenReviewAnswer = {
  authenticated: true,
  audiences: ['api'],
  user: { username: `system:serviceaccount:${WEB.namespace}:${WEB.name}`, uid: WEB.uid },
}
const user = (members: object) => ({ ...good, user: { ...good.user, ...members } })

describe('a reviewer that answers', () => {
  it.each<readonly [what: string, answer: unknown, reason: string]>([
    ['null', null, 'protocol'],
    ['nothing', undefined, 'protocol'],
    ['a number', 7, 'review-not-authenticated'],
    ['a text', 'authenticated', 'review-not-authenticated'],
    ['a list', [good], 'review-not-authenticated'],
    ['an empty object', {}, 'review-not-authenticated'],
    ['a promise inside', { ...good, authenticated: Promise.resolve(true) }, 'review-not-authenticated'],
    ['authenticated 1', { ...good, authenticated: 1 }, 'review-not-authenticated'],
    ['authenticated "true"', { ...good, authenticated: 'true' }, 'review-not-authenticated'],
    ['an error that is an object', { ...good, error: {} }, 'review-error'],
    ['an error that is a number', { ...good, error: 7 }, 'review-error'],
    ['no audiences', { ...good, audiences: null }, 'review-audience-mismatch'],
    ['a text of audiences', { ...good, audiences: 'api' }, 'review-audience-mismatch'],
    ['an object of audiences', { ...good, audiences: { 0: 'api', length: 1 } }, 'review-audience-mismatch'],
    ['an audience in another case', { ...good, audiences: ['API'] }, 'review-audience-mismatch'],
    ['no user', { ...good, user: null }, 'review-no-service-account'],
    ['a user that is a text', { ...good, user: good.user?.username }, 'review-no-service-account'],
    ['a username that is a list', user({ username: [good.user?.username] }), 'review-no-service-account'],
    ['a username that is a number', user({ username: 7 }), 'review-no-service-account'],
    ['a username of three parts', user({ username: 'system:serviceaccount:prod' }), 'review-no-service-account'],
    ['a uid that is a list', user({ uid: [WEB.uid] }), 'review-mismatch'],
    ['no uid', user({ uid: undefined }), 'review-mismatch'],
    [
      'a getter that throws',
      {
        ...good,
        get user() {
          return boom()
        },
      },
      'protocol',
    ],
    ['a list that cannot be read', { ...good, audiences: new Proxy(['api'], { get: boom }) }, 'protocol'],
    ['a proxy that throws', new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : boom()) }), 'protocol'],
  ])('%s', async (_, answer, reason) => {
    expect(await refuses(reviewing(async () => answer))).toBe(reason)
    expect(await refuses(reviewing(() => answer))).toBe(reason)
  })

  it('by a thenable of its own, or without a promise, is heard all the same', async () => {
    // biome-ignore lint/suspicious/noThenProperty: what is tested.
    for (const review of [() => good, () => ({ then: (told: (answer: unknown) => void) => told(good) })]) {
      await using world = await openWorld(reviewing(review))
      for (const view of VIEWS) expect((await world.login(view, JWT)).status).toBe(200)
    }
  })

  it('differently at every look is looked at once', async () => {
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

describe('an environment that breaks its contract', () => {
  const fine = { caCert: async () => 'PEM', serviceAccountToken: async () => 'local-token' }
  const strange = [boom, async () => boom(), () => undefined, () => 7, async () => ({}), () => Promise.reject(null)]

  it.each(strange.map((found) => [String(found), found]))('has no certificates: %s', async (_, caCert) => {
    const local = { ...fine, caCert } as unknown as LocalEnvironment
    expect(await refuses({ local, reviewer: fakeTokenReviewer() })).toBe('local-ca-unreadable')
  })

  it.each(strange.map((found) => [String(found), found]))('has no token: %s', async (_, serviceAccountToken) => {
    const local = { ...fine, serviceAccountToken } as unknown as LocalEnvironment
    const reviewer = fakeTokenReviewer()
    await using world = await openWorld({ local, reviewer })
    for (const view of VIEWS) expect((await world.login(view, JWT)).status).toBe(200)
    expect(reviewer.requests.map(({ bearer }) => bearer)).toEqual(VIEWS.map(() => JWT))
  })
})
