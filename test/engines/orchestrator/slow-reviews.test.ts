/** A login depends on the state at its commit, not on the state at the start of its review. */
import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import type { TokenReviewAnswer, TokenReviewer, TokenReviewRequest } from '../../../src/index.ts'
import { believe } from '../../../src/testing/fake-token-reviewer.ts'
import { P384, spkiPem } from '../../unit/core/jwt/tokens.ts'
import { type Outcome, PATH, REFUSED, VIEWS } from './views.ts'
import { HOST, jwtOf, KEYS, NOW, openWorld, turns, WEB, type World } from './world.ts'

const WITHOUT_THREADS = nobleCrypto({ accelerate: false })

interface Held {
  readonly request: TokenReviewRequest
  readonly signal: AbortSignal
  answer(answer?: TokenReviewAnswer): void
}

/** A reviewer that waits until a test answers; it aborts with its signal only if `listens`. */
function slowReviewer(listens = true): TokenReviewer & { readonly held: Held[] } {
  const held: Held[] = []
  return {
    held,
    review: (request, signal) =>
      new Promise((resolve, reject) => {
        if (listens) signal.addEventListener('abort', () => reject(signal.reason))
        held.push({ request, signal, answer: (answer = believe(request)) => resolve(answer) })
      }),
  }
}

/** Waits until `count` reviews are in flight. */
async function reviewing({ held }: { readonly held: readonly Held[] }, count = 1): Promise<void> {
  while (held.length < count) await turns(1)
}

/** Advances the clock until the login has ended, because a conflict waits for a moment. Worker threads would take real time. */
async function ended(world: World, login: Promise<Outcome>, meanwhile: () => void = () => {}): Promise<Outcome> {
  let done = false
  const end = () => {
    done = true
  }
  login.then(end, end)
  while (!done) {
    meanwhile()
    await world.clock.advance(50)
    await turns(20)
  }
  return login
}

/** Runs `meanwhile` while the review of a login is in flight; later reviews succeed immediately. */
async function loginWhile(meanwhile: (world: World) => unknown, more = {}): Promise<Outcome> {
  const reviewer = slowReviewer()
  await using world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
  const login = world.login(PATH, jwtOf(WEB, more))
  await reviewing(reviewer)
  await meanwhile(world)
  reviewer.held[0]?.answer()
  return await ended(world, login, () => reviewer.held.at(-1)?.answer())
}

describe('a login whose token review is in flight', () => {
  it('uses the account names and policies that the role has after the review', async () => {
    const rename = ({ kernel }: World) =>
      kernel.orchestrator.writeRole({ name: 'web', bound_service_account_names: ['other'], token_policies: ['late'] })
    expect(await loginWhile(rename)).toMatchObject(REFUSED)
    const give = ({ kernel }: World) => kernel.orchestrator.writeRole({ name: 'web', token_policies: ['late'] })
    expect((await loginWhile(give)).auth?.policies).toEqual(['default', 'late'])
  })

  it('is refused with 400 if the role is deleted during the review', async () => {
    const outcome = await loginWhile(({ kernel }) => kernel.orchestrator.deleteRole({ name: 'web' }))
    expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining('invalid role name "web"')] })
  })

  it('is refused with 403 if the keys are replaced during the review', async () => {
    const config = { orchestrator_host: HOST, pem_keys: [spkiPem(P384)] }
    expect(await loginWhile(({ kernel }) => kernel.orchestrator.configure(config))).toMatchObject({ status: 403 })
  })

  it('is reviewed again if the configured host changes during the review', async () => {
    const reviewer = slowReviewer()
    await using world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
    const login = world.login(PATH, jwtOf())
    await reviewing(reviewer)
    await world.kernel.orchestrator.configure({ orchestrator_host: 'https://new.example', pem_keys: KEYS })
    reviewer.held[0]?.answer()
    const outcome = ended(world, login)
    await reviewing(reviewer, 2)
    expect(reviewer.held[1]?.request.host).toBe('https://new.example')
    reviewer.held[1]?.answer({ authenticated: false })
    expect((await outcome).status).toBe(403)
    expect(await world.refusals()).toEqual([{ role: 'web', reason: 'review-not-authenticated' }])
  })

  it('is refused if the token expires during the review', async () => {
    const outcome = await loginWhile(({ clock }) => clock.advance(100_000), { iat: NOW, exp: NOW + 30 })
    expect(outcome).toMatchObject(REFUSED)
  })

  it('fails with 404 if the mount is deleted during the review', async () => {
    const outcome = await loginWhile(({ kernel }) => kernel.mounts.deleteAuthMethod({ path: 'orchestrator' }))
    expect(outcome).toMatchObject({ status: 404, auth: undefined })
  })

  it('does not make other logins wait', async () => {
    const reviewer = slowReviewer()
    await using world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
    const first = world.login(PATH, jwtOf())
    await reviewing(reviewer)
    const second = world.login(PATH, jwtOf())
    await reviewing(reviewer, 2)
    reviewer.held[1]?.answer()
    expect((await ended(world, second)).status).toBe(200)
    reviewer.held[0]?.answer({ authenticated: false })
    expect((await ended(world, first)).status).toBe(403)
  })
})

describe('closing a kernel while a token review is in flight', () => {
  it.each(VIEWS)('aborts the review and refuses the login ($name)', async (view) => {
    const reviewer = slowReviewer()
    const world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
    const login = world.login(view, jwtOf())
    await reviewing(reviewer)
    await world.kernel.close()
    expect(reviewer.held[0]?.signal.aborted).toBe(true)
    expect(await login).toMatchObject(REFUSED)
  })

  it('waits for a reviewer that ignores the abort signal', async () => {
    const reviewer = slowReviewer(false)
    const world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
    const login = world.login(PATH, jwtOf())
    await reviewing(reviewer)
    let closed = false
    const closing = world.kernel.close().then(() => {
      closed = true
    })
    await turns(10)
    expect(closed).toBe(false)
    reviewer.held[0]?.answer()
    expect((await login).status).toBe(200)
    await closing
  })
})
