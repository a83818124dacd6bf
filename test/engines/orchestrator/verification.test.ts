/** What vouches for a token: keys, a reviewer, both or nothing; and what a reviewer is given to ask with. */
import { describe, expect, it } from 'vitest'
import { fakeLocalEnvironment, fakeTokenReviewer } from '../../../src/testing/index.ts'
import { certificatePem, P256, P384, token } from '../../unit/core/jwt/tokens.ts'
import { type Input, VIEWS } from './views.ts'
import { claims, HOST, jwtOf, KEYS, openWorld, type WorldOptions } from './world.ts'

const CA = certificatePem(P256)
const LOCAL_CA = certificatePem(P384)
const CONFIG = { orchestrator_host: HOST }
const FORGED = token('ES256', claims(), undefined, P384.privateKey)
const GOOD = jwtOf()

/** How a login ends by both views. */
async function ends(options: WorldOptions, jwt: string): Promise<string> {
  await using world = await openWorld(options)
  const outcomes = []
  for (const view of VIEWS) outcomes.push((await world.login(view, jwt)).status)
  expect(new Set(outcomes).size).toBe(1)
  const [refusal] = await world.refusals()
  return refusal ? `${outcomes[0]} ${refusal.reason}` : `${outcomes[0]}`
}

const believing = () => fakeTokenReviewer()
const refusing = () => {
  const reviewer = fakeTokenReviewer()
  reviewer.answer({ authenticated: false })
  return reviewer
}

describe('who vouches for a token', () => {
  const keys = { pem_keys: KEYS, orchestrator_ca_cert: CA }
  const none = { pem_keys: [], orchestrator_ca_cert: CA }

  it.each([
    ['keys alone', keys, undefined, GOOD, '200'],
    ['keys alone', keys, undefined, FORGED, '403 signature-invalid'],
    ['a reviewer alone', none, believing, GOOD, '200'],
    ['a reviewer alone', none, believing, FORGED, '200'],
    ['a reviewer alone', none, refusing, GOOD, '403 review-not-authenticated'],
    ['both', keys, believing, GOOD, '200'],
    ['both', keys, believing, FORGED, '403 signature-invalid'],
    ['both', keys, refusing, GOOD, '403 review-not-authenticated'],
    ['both', keys, refusing, FORGED, '403 signature-invalid'],
    ['nobody', none, undefined, GOOD, '403 nothing-to-verify-with'],
    ['nobody', none, undefined, FORGED, '403 nothing-to-verify-with'],
    [
      'nobody; the algorithm is looked at all the same',
      none,
      undefined,
      token('ES256', claims(), { alg: 'none' }),
      '403 algorithm-not-allowed',
    ],
  ] as const)('%s', async (_, config, reviewer, jwt, outcome) => {
    expect(await ends({ config, ...(reviewer && { reviewer: reviewer() }) }, jwt)).toBe(outcome)
  })
})

/** What a reviewer is asked with, by both views alike. */
async function askedWith(options: Omit<WorldOptions, 'reviewer'>, jwt = GOOD) {
  const reviewer = fakeTokenReviewer()
  const outcome = await ends({ ...options, reviewer }, jwt)
  const [first, second] = reviewer.requests
  expect(second).toEqual(first)
  return first ?? outcome
}

const inside = (found: Parameters<typeof fakeLocalEnvironment>[0]) => ({ local: fakeLocalEnvironment(found) })
const gone = new Error(`nobody reads ${LOCAL_CA}`)

describe('the certificates that the API server is known by', () => {
  const local = inside({ caCert: LOCAL_CA })
  it.each([
    ['the configured ones', { config: { orchestrator_ca_cert: CA } }, CA],
    ['the configured ones before the local ones', { config: { orchestrator_ca_cert: CA }, ...local }, CA],
    ['the local ones', local, LOCAL_CA],
    ['what the platform trusts, outside', {}, null],
    ['what the platform trusts, where there are no local ones', inside({}), null],
    ['what the platform trusts, without local defaults', { config: { disable_local_ca_jwt: true }, ...local }, null],
  ])('are %s', async (_, options: WorldOptions, caCert) => {
    expect(await askedWith(options)).toMatchObject({ host: HOST, caCert })
  })

  it.each([
    ['a failure', gone],
    ['an empty file', ''],
    ['white space', '\n'],
  ])('are not given up for less: %s', async (_, caCert) => {
    expect(await askedWith(inside({ caCert }))).toBe('403 local-ca-unreadable')
    expect(await askedWith({ config: { orchestrator_ca_cert: CA }, ...inside({ caCert }) })).toMatchObject({ caCert: CA })
  })

  it('were there when a configuration counted on them', async () => {
    const found: { caCert: string | null } = { caCert: LOCAL_CA }
    const local = { caCert: async () => found.caCert, serviceAccountToken: async () => null }
    const reviewer = fakeTokenReviewer()
    await using world = await openWorld({ reviewer, local, config: { pem_keys: [] } })
    found.caCert = null
    for (const view of VIEWS) expect((await world.login(view, GOOD)).status).toBe(403)
    expect(await world.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason: 'local-ca-unreadable' })))
    expect(reviewer.requests).toEqual([])
  })
})

describe('what a review is authorised by', () => {
  const local = inside({ caCert: LOCAL_CA, token: ' local-token\n' })
  it.each([
    ['the configured token, trimmed', { config: { token_reviewer_jwt: ' the-reviewer\n' }, ...local }, 'the-reviewer'],
    ['the local token, trimmed', local, 'local-token'],
    [
      'the local token, where the configured one is white space',
      { config: { token_reviewer_jwt: ' ' }, ...local },
      'local-token',
    ],
    ['the token that logs in, without local defaults', { config: { disable_local_ca_jwt: true }, ...local }, GOOD],
    ['the token that logs in, where there is no other', {}, GOOD],
    ['the token that logs in, where the local one cannot be read', inside({ caCert: LOCAL_CA, token: gone }), GOOD],
    ['the token that logs in, where the local one is empty', inside({ caCert: LOCAL_CA, token: ' ' }), GOOD],
  ])('is %s', async (_, options: WorldOptions, bearer) => {
    expect(await askedWith(options, `\n${GOOD.slice(0, 9)} ${GOOD.slice(9)}\n`)).toMatchObject({ bearer, token: GOOD })
  })

  it('is asked for the role’s audience, else for what the token is meant for', async () => {
    const jwt = jwtOf(undefined, { aud: ['a', 'b'] })
    expect(await askedWith({ role: { audience: 'b' } }, jwt)).toMatchObject({ audiences: ['b'] })
    expect(await askedWith({}, jwt)).toMatchObject({ audiences: ['a', 'b'] })
    expect(await askedWith({}, jwtOf(undefined, { aud: 'a' }))).toMatchObject({ audiences: ['a'] })
    expect(await askedWith({}, GOOD)).toMatchObject({ audiences: [] })
  })
})

describe('outside an orchestrator one of certificates and keys is needed', () => {
  const nothing = {}
  const off = { disable_local_ca_jwt: true }
  const CASES: readonly (readonly [where: string, WorldOptions, what: string, Input, status: number])[] = [
    ['without a LocalEnvironment', {}, 'nothing', nothing, 400],
    ['without a LocalEnvironment', {}, 'certificates', { orchestrator_ca_cert: CA }, 204],
    ['without a LocalEnvironment', {}, 'keys', { pem_keys: KEYS }, 204],
    ['with one that finds nothing', inside({}), 'nothing', nothing, 400],
    ['with one that finds nothing', inside({}), 'keys', { pem_keys: KEYS }, 204],
    ['with one that cannot be read', inside({ caCert: gone }), 'nothing', nothing, 400],
    ['with one that finds an empty file', inside({ caCert: '' }), 'nothing', nothing, 400],
    ['with one that finds certificates', inside({ caCert: LOCAL_CA }), 'nothing', nothing, 204],
    ['inside, but without local defaults', inside({ caCert: LOCAL_CA }), 'nothing', off, 400],
    [
      'inside, but without local defaults',
      inside({ caCert: LOCAL_CA }),
      'certificates',
      { ...off, orchestrator_ca_cert: CA },
      204,
    ],
    ['inside, but without local defaults', inside({ caCert: LOCAL_CA }), 'keys', { ...off, pem_keys: KEYS }, 204],
  ]
  it.each(CASES)('%s, given %s', async (_, options, __, input, status) => {
    for (const view of VIEWS) {
      await using world = await openWorld({ ...options, config: null })
      expect((await view.ask(world.kernel, 'configure', { ...CONFIG, ...input })).status).toBe(status)
      // The local ones are never shown as configured.
      const { status: read, data } = await view.ask(world.kernel, 'readConfig')
      expect([read, data?.['orchestrator_ca_cert']]).toEqual(
        status === 400 ? [404, undefined] : [200, input['orchestrator_ca_cert'] ?? ''],
      )
    }
  })
})
