/**
 * The checks of a login have a fixed order. Each request fails at one step and all later ones, and the first of them decides. For a refused
 * token, callers learn only the status; event listeners and the audit log get the reason.
 */

import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import type { KernelError } from '../../../src/index.ts'
import { fakeTokenReviewer } from '../../../src/testing/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { encode, P256, P384, spkiPem, token } from '../../unit/core/jwt/tokens.ts'
import { type Input, PATH, REFUSED, TYPED, VIEWS } from './views.ts'
import { claims, HOST, KEYS, NOW, openWorld, WEB, type World } from './world.ts'

/** The mistake of each step, in order. A request that fails from some step on has this step's mistake and all later ones. */
const STEPS = [
  ['address-not-bound', { address: '192.0.2.1' }],
  ['token-malformed', { header: { alg: 'ES256', crit: ['x'] } }],
  ['algorithm-not-allowed', { header: { alg: 'HS256' } }],
  ['not-yet-valid', { nbf: NOW + 1000, exp: NOW + 2000 }],
  ['issuer-mismatch', { iss: 'somebody' }],
  ['audience-mismatch', { aud: ['elsewhere'] }],
  ['claims-malformed', { 'kubernetes.io/serviceaccount/secret.name': 7 }],
  ['name-not-bound', { name: 'stranger' }],
  ['namespace-not-bound', { namespace: 'elsewhere' }],
  ['uid-missing', { uid: '' }],
  ['signature-invalid', { key: P384.privateKey }],
  ['review-not-authenticated', { reviewed: false }],
] as const

const HEADER = { alg: 'ES256', typ: 'JWT' }
/** Valid values; the role is bound to this network and audience. */
const GOOD = { address: '10.1.2.3', iss: 'cluster', aud: ['strongroom'], header: HEADER, key: P256.privateKey, reviewed: true }
const CONFIG = { pem_keys: KEYS, disable_iss_validation: false, issuer: 'cluster' }
const ROLE = { token_bound_cidrs: ['10.0.0.0/8'], audience: 'strongroom' }

/** All mistakes from a step on. If two mistakes concern the same member, the earlier step's value is used. */
function failing(from: number) {
  const wrong = Object.assign(
    {},
    ...STEPS.slice(from)
      .map(([, mistake]) => mistake)
      .reverse(),
  ) as Input
  const { address, header, key, reviewed, name, namespace, uid, ...times } = { ...GOOD, ...WEB, ...wrong }
  return { address, reviewed, jwt: token('ES256', claims({ name, namespace, uid }, times), header, key) }
}

async function world(crypto = nobleCrypto()) {
  const reviewer = fakeTokenReviewer()
  return { reviewer, world: await openWorld({ crypto, reviewer, config: CONFIG, role: ROLE }) }
}

const lastReason = ({ audit }: World) => audit.at(-1)?.toJSON()

describe.each(BACKENDS)('a login with several defects, with $name', (crypto) => {
  it.each(STEPS.map(([reason], step) => [reason, step] as const))(
    'is refused because of %s before any later check',
    async (reason, step) => {
      const { world: here, reviewer } = await world(crypto)
      await using opened = here
      const { address, jwt, reviewed } = failing(step)
      reviewer.answer((believed) => ({ ...believed, authenticated: reviewed }))
      for (const view of VIEWS) {
        const { status, errors, auth, text } = await opened.login(view, jwt, { address })
        expect({ status, errors, auth }).toEqual({ ...REFUSED, auth: undefined })
        for (const [word] of STEPS) expect(text).not.toContain(word)
        expect(lastReason(opened)).toMatchObject({ type: 'response', reason })
      }
      expect(await opened.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason })))
      // A refused token is never sent to the reviewer.
      expect(reviewer.requests).toHaveLength(reason === 'review-not-authenticated' ? VIEWS.length : 0)
    },
  )
})

it('a login without the defects that this test combines is accepted', async () => {
  const { world: here } = await world()
  await using opened = here
  const { address, jwt } = failing(STEPS.length)
  for (const view of VIEWS) expect(await opened.login(view, jwt, { address })).toMatchObject({ status: 200 })
  expect(await opened.refusals()).toEqual([])
  expect(opened.audit.some(({ reason }) => reason !== undefined)).toBe(false)
})

it('logins that are refused by different checks all get the same answer', async () => {
  const { world: here, reviewer } = await world()
  await using opened = here
  const answers = new Set<string>()
  const errors = new Set<string>()
  for (const step of STEPS.keys()) {
    const { address, jwt, reviewed } = failing(step)
    reviewer.answer((believed) => ({ ...believed, authenticated: reviewed }))
    answers.add((await opened.login(PATH, jwt, { address })).text)
    const error = await opened.kernel.orchestrator.login({ role: 'web', jwt }, { remoteAddress: address }).then(
      () => undefined,
      (thrown: KernelError) => thrown,
    )
    errors.add(JSON.stringify([error, error?.message, error?.code, error?.cause, Reflect.ownKeys(error ?? {})]))
  }
  expect([...answers]).toEqual([expect.stringContaining('"errors":["permission denied"]')])
  expect([...errors]).toEqual([expect.stringContaining('ERR_PERMISSION_DENIED')])
})

/** These checks precede everything that depends on the configuration. */
const SPOKEN: readonly (readonly [what: string, said: RegExp, input: Input])[] = [
  ['a missing role and a missing token', /role.*missing/, { role: '', jwt: '' }],
  ['a missing token', /jwt.*missing/, { role: 'nobody', jwt: '' }],
  ['an unknown role', /invalid role name "nobody"/, { role: 'nobody', jwt: 'x' }],
]

describe('an invalid login request', () => {
  it.each(SPOKEN)('is refused with 400 for %s', async (_, said, input) => {
    const { world: here } = await world()
    await using opened = here
    for (const view of VIEWS) {
      const outcome = await view.ask(opened.kernel, 'login', input)
      expect(outcome).toMatchObject({ status: 400, errors: [expect.stringMatching(said)] })
    }
    expect(await opened.refusals()).toEqual([])
  })

  it.each<readonly [input: Input, said: RegExp]>([
    [{}, /^role: /],
    [{ role: null, jwt: null }, /^role: /],
    [{ jwt: 'x' }, /^role: /],
    [{ role: 'nobody' }, /^jwt: /],
  ])('is refused with 400 if it lacks a parameter: %j', async (input, said) => {
    await using opened = await openWorld()
    expect(await PATH.ask(opened.kernel, 'login', input)).toMatchObject({ status: 400, errors: [expect.stringMatching(said)] })
    await expect(TYPED.ask(opened.kernel, 'login', input)).rejects.toThrow(TypeError)
    expect(await opened.refusals()).toEqual([])
  })

  it('is refused with 400 if the method is not configured, but with 403 if the address is not allowed', async () => {
    await using opened = await openWorld({ config: null, role: ROLE })
    for (const view of VIEWS) {
      const from = (address: string) => opened.login(view, 'x', { address })
      expect(await from('10.1.2.3')).toMatchObject({ status: 400, errors: [expect.stringContaining('config')] })
      expect(await from('192.0.2.1')).toMatchObject(REFUSED)
    }
    expect(await opened.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason: 'address-not-bound' })))
  })
})

/** Other refusal reasons of the token itself; its times are compared with `now`. */
const MORE: readonly (readonly [reason: string, jwt: string])[] = [
  ['token-too-large', 'x'.repeat(16_385)],
  ['token-malformed', 'x'.repeat(16_384)],
  ['token-malformed', `${encode(HEADER)}.${encode({})}`],
  ['expired', token('ES256', claims(WEB, { iat: NOW - 1000, exp: NOW - 61 }))],
  ['issued-in-future', token('ES256', claims(WEB, { nbf: NOW, iat: NOW + 61, exp: NOW + 1000 }))],
  ['claims-malformed', token('ES256', 'no object')],
  ['claims-malformed', token('ES256', claims(WEB, { aud: 7 }))],
  ['claims-malformed', token('ES256', claims(WEB, { exp: '1' }))],
  ['name-not-bound', token('ES256', null)],
  ['algorithm-not-allowed', token('ES256', claims(), { alg: 'none' })],
]

it.each(MORE)('a login with a defective token is refused with the reason %s', async (reason, jwt) => {
  await using opened = await openWorld()
  for (const view of VIEWS) {
    expect(await opened.login(view, jwt)).toMatchObject(REFUSED)
    expect(lastReason(opened)).toMatchObject({ reason, request: { path: 'auth/orchestrator/login' } })
  }
  expect(await opened.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason })))
})

it('the event login.refused contains the role name as the caller wrote it, and the mount', async () => {
  await using opened = await openWorld({ config: { orchestrator_host: HOST, pem_keys: [spkiPem(P384)] } })
  const events: unknown[] = []
  opened.kernel.events.on('login.refused', ({ time: _, ...event }) => events.push(event))
  for (const view of VIEWS) await opened.login(view, token('ES256', claims()), { role: 'WEB' })
  await opened.refusals()
  const expected = { type: 'login.refused', namespace: '', mount: 'auth/orchestrator/', role: 'WEB', reason: 'signature-invalid' }
  expect(events).toEqual(VIEWS.map(() => expected))
})
