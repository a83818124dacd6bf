/** Reviews that take their time: what counts is what holds when the login is committed, and closing does not wait for ever. */
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

/** Answers when it is told to; calls off with its signal, if it listens to it. */
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

/** Until so many reviews are under way. */
async function reviewing({ held }: { readonly held: readonly Held[] }, count = 1): Promise<void> {
  while (held.length < count) await turns(1)
}

/** Moves the clock until the login has ended, since a conflict waits a moment. Nothing runs in threads, whose time would pass beside it. */
async function ended(world: World, login: Promise<Outcome>, beside: () => void = () => {}): Promise<Outcome> {
  let done = false
  const end = () => {
    done = true
  }
  login.then(end, end)
  while (!done) {
    beside()
    await world.clock.advance(50)
    await turns(20)
  }
  return login
}

/** A login whose review is under way while `meanwhile` happens; later reviews are believed at once. */
async function loginWhile(meanwhile: (world: World) => unknown, more = {}): Promise<Outcome> {
  const reviewer = slowReviewer()
  await using world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
  const login = world.login(PATH, jwtOf(WEB, more))
  await reviewing(reviewer)
  await meanwhile(world)
  reviewer.held[0]?.answer()
  return await ended(world, login, () => reviewer.held.at(-1)?.answer())
}

describe('while a review is under way', () => {
  it('the role may change: its names and its policies count as they are at the end', async () => {
    const rename = ({ kernel }: World) =>
      kernel.orchestrator.writeRole({ name: 'web', bound_service_account_names: ['other'], token_policies: ['late'] })
    expect(await loginWhile(rename)).toMatchObject(REFUSED)
    const give = ({ kernel }: World) => kernel.orchestrator.writeRole({ name: 'web', token_policies: ['late'] })
    expect((await loginWhile(give)).auth?.policies).toEqual(['default', 'late'])
  })

  it('the role may go', async () => {
    const outcome = await loginWhile(({ kernel }) => kernel.orchestrator.deleteRole({ name: 'web' }))
    expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining('invalid role name "web"')] })
  })

  it('the keys may change', async () => {
    const config = { orchestrator_host: HOST, pem_keys: [spkiPem(P384)] }
    expect(await loginWhile(({ kernel }) => kernel.orchestrator.configure(config))).toMatchObject({ status: 403 })
  })

  it('the host may change: who answers for it then is asked', async () => {
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

  it('the token may expire', async () => {
    const outcome = await loginWhile(({ clock }) => clock.advance(100_000), { iat: NOW, exp: NOW + 30 })
    expect(outcome).toMatchObject(REFUSED)
  })

  it('the mount may go: there is no token then', async () => {
    const outcome = await loginWhile(({ kernel }) => kernel.mounts.deleteAuthMethod({ path: 'orchestrator' }))
    expect(outcome).toMatchObject({ status: 404, auth: undefined })
  })

  it('others log in', async () => {
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

describe('a kernel that is closed while a review is under way', () => {
  it.each(VIEWS)('calls it off, and lets nobody in ($name)', async (view) => {
    const reviewer = slowReviewer()
    const world = await openWorld({ reviewer, crypto: WITHOUT_THREADS })
    const login = world.login(view, jwtOf())
    await reviewing(reviewer)
    await world.kernel.close()
    expect(reviewer.held[0]?.signal.aborted).toBe(true)
    expect(await login).toMatchObject(REFUSED)
  })

  it('waits for one that does not listen, and its login ends as it would have', async () => {
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
