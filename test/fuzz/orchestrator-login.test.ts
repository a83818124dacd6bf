import { describe, expect, it } from 'vitest'
import type { TokenReviewAnswer, TokenReviewer } from '../../src/index.ts'
import { WEB } from '../engines/orchestrator/world.ts'
import { BACKENDS } from '../fixtures/backends.ts'
import fc from '../fixtures/fast-check.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { runs } from '../fixtures/runs.ts'
import { ask, canonical, GOOD, jwt, open, role, signed } from './login-arbitraries.ts'

const RUNS = runs({ quick: 120, soak: 30_000 })
const FEW = runs({ quick: 100, soak: 5_000 })

describe.each(BACKENDS)('random orchestrator logins with $name', (crypto) => {
  it(`succeed only with a token signed by a configured key (${RUNS} logins)`, async () => {
    const clock = movingClock()
    const kernel = await open({ crypto, clock })
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(role, jwt, async (name, sent) => {
        // Each login gets a full allowance for wrong signatures.
        clock.advance(1_000)
        const { status, auth } = await ask(kernel, 'POST', 'orchestrator/login', { role: name, jwt: sent })
        seen.set(status, (seen.get(status) ?? 0) + 1)
        if (status === 200) {
          expect(signed.has(canonical(String(sent)))).toBe(true)
          if (String(name).toLowerCase() === 'web')
            expect(auth?.metadata).toMatchObject({ service_account_name: WEB.name, service_account_namespace: WEB.namespace })
        } else expect([400, 403]).toContain(status)
      }),
      { numRuns: RUNS },
    )
    // The run is useful only if enough tokens pass the first checks.
    expect(seen.get(200)).toBeGreaterThan(RUNS / 50)
    expect(seen.get(403)).toBeGreaterThan(RUNS / 5)
    await kernel.close()
  })
})

it(`an orchestrator login is refused if the token reviewer throws or returns random data (${FEW} logins)`, async () => {
  const made: { answer?: unknown; thrown?: unknown } = {}
  const reviewer = {
    async review() {
      if ('thrown' in made) throw made.thrown
      return made.answer as TokenReviewAnswer
    },
  } satisfies TokenReviewer
  const kernel = await open({ ports: { tokenReviewer: reviewer } })
  const user = { username: `system:serviceaccount:${WEB.namespace}:${WEB.name}`, uid: WEB.uid }
  const answer = fc.oneof(
    fc.anything({
      withNullPrototype: true,
      withBigInt: true,
      withSet: true,
      withMap: true,
      withDate: true,
      withSparseArray: true,
    }),
    fc.record({ authenticated: fc.constantFrom<unknown>(1, 'true', {}, [], null, false), user: fc.constant(user) }),
    fc.record({ authenticated: fc.constant(true), user: fc.anything(), audiences: fc.anything() }),
    fc.record({ authenticated: fc.constant(true), user: fc.record({ username: fc.anything(), uid: fc.anything() }) }),
  )
  await fc.assert(
    fc.asyncProperty(answer, fc.boolean(), async (outcome, throws) => {
      delete made.thrown
      if (throws) made.thrown = outcome
      else made.answer = outcome
      expect((await ask(kernel, 'POST', 'orchestrator/login', { role: 'web', jwt: GOOD })).status).toBe(403)
    }),
    { numRuns: FEW },
  )
  delete made.thrown
  made.answer = { authenticated: true, user }
  expect((await ask(kernel, 'POST', 'orchestrator/login', { role: 'web', jwt: GOOD })).status).toBe(200)
  await kernel.close()
})
