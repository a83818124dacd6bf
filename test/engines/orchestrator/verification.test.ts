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

/** The status and the refusal reason of a login, which must be the same for typed calls and calls by path. */
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

describe('the verification of a login token', () => {
  const keys = { pem_keys: KEYS, orchestrator_ca_cert: CA }
  const none = { pem_keys: [], orchestrator_ca_cert: CA }

  it.each([
    ['by keys alone accepts a valid signature', keys, undefined, GOOD, '200'],
    ['by keys alone refuses a forged signature', keys, undefined, FORGED, '403 signature-invalid'],
    ['by a reviewer alone accepts a confirmed token', none, believing, GOOD, '200'],
    ['by a reviewer alone accepts a confirmed token with a forged signature', none, believing, FORGED, '200'],
    ['by a reviewer alone refuses a rejected token', none, refusing, GOOD, '403 review-not-authenticated'],
    ['by keys and a reviewer accepts a valid and confirmed token', keys, believing, GOOD, '200'],
    ['by keys and a reviewer refuses a forged signature', keys, believing, FORGED, '403 signature-invalid'],
    ['by keys and a reviewer refuses a rejected token', keys, refusing, GOOD, '403 review-not-authenticated'],
    ['by keys and a reviewer refuses a forged and rejected token', keys, refusing, FORGED, '403 signature-invalid'],
    ['without keys and a reviewer refuses a valid token', none, undefined, GOOD, '403 nothing-to-verify-with'],
    ['without keys and a reviewer refuses a forged token', none, undefined, FORGED, '403 nothing-to-verify-with'],
    [
      'without keys and a reviewer checks the algorithm first',
      none,
      undefined,
      token('ES256', claims(), { alg: 'none' }),
      '403 algorithm-not-allowed',
    ],
  ] as const)('%s', async (_, config, reviewer, jwt, outcome) => {
    expect(await ends({ config, ...(reviewer && { reviewer: reviewer() }) }, jwt)).toBe(outcome)
  })
})

/** The request that a reviewer receives, which must be the same for typed calls and calls by path. */
async function reviewWith(options: Omit<WorldOptions, 'reviewer'>, jwt = GOOD) {
  const reviewer = fakeTokenReviewer()
  const outcome = await ends({ ...options, reviewer }, jwt)
  const [first, second] = reviewer.requests
  expect(second).toEqual(first)
  return first ?? outcome
}

const inside = (found: Parameters<typeof fakeLocalEnvironment>[0]) => ({ local: fakeLocalEnvironment(found) })
const gone = new Error(`nobody reads ${LOCAL_CA}`)

describe('the CA certificates for a token review', () => {
  const local = inside({ caCert: LOCAL_CA })
  it.each([
    ['the configured ones', { config: { orchestrator_ca_cert: CA } }, CA],
    ['the configured ones rather than the local ones', { config: { orchestrator_ca_cert: CA }, ...local }, CA],
    ['the local ones', local, LOCAL_CA],
    ['the platform’s defaults outside of an orchestrator', {}, null],
    ['the platform’s defaults if there are no local ones', inside({}), null],
    ['the platform’s defaults if local defaults are disabled', { config: { disable_local_ca_jwt: true }, ...local }, null],
  ])('are %s', async (_, options: WorldOptions, caCert) => {
    expect(await reviewWith(options)).toMatchObject({ host: HOST, caCert })
  })

  it.each([
    ['a read error', gone],
    ['an empty file', ''],
    ['a blank file', '\n'],
  ])('are not replaced by the platform’s defaults after %s', async (_, caCert) => {
    expect(await reviewWith(inside({ caCert }))).toBe('403 local-ca-unreadable')
    expect(await reviewWith({ config: { orchestrator_ca_cert: CA }, ...inside({ caCert }) })).toMatchObject({ caCert: CA })
  })

  it('are required for logins if the pod’s own certificates existed when the method was configured', async () => {
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

describe('a token review', () => {
  const local = inside({ caCert: LOCAL_CA, token: ' local-token\n' })
  it.each([
    ['the configured token, trimmed', { config: { token_reviewer_jwt: ' the-reviewer\n' }, ...local }, 'the-reviewer'],
    ['the local token, trimmed', local, 'local-token'],
    ['the local token if the configured token is blank', { config: { token_reviewer_jwt: ' ' }, ...local }, 'local-token'],
    ['the login token if local defaults are disabled', { config: { disable_local_ca_jwt: true }, ...local }, GOOD],
    ['the login token if there is no other token', {}, GOOD],
    ['the login token if the local token cannot be read', inside({ caCert: LOCAL_CA, token: gone }), GOOD],
    ['the login token if the local token is empty', inside({ caCert: LOCAL_CA, token: ' ' }), GOOD],
  ])('is authorized by %s', async (_, options: WorldOptions, bearer) => {
    expect(await reviewWith(options, `\n${GOOD.slice(0, 9)} ${GOOD.slice(9)}\n`)).toMatchObject({ bearer, token: GOOD })
  })

  it('requests the audience of the role, or the audiences of the login token if the role has none', async () => {
    const jwt = jwtOf(undefined, { aud: ['a', 'b'] })
    expect(await reviewWith({ role: { audience: 'b' } }, jwt)).toMatchObject({ audiences: ['b'] })
    expect(await reviewWith({}, jwt)).toMatchObject({ audiences: ['a', 'b'] })
    expect(await reviewWith({}, jwtOf(undefined, { aud: 'a' }))).toMatchObject({ audiences: ['a'] })
    expect(await reviewWith({}, GOOD)).toMatchObject({ audiences: [] })
  })
})

describe('orchestrator.configure', () => {
  const nothing = {}
  const off = { disable_local_ca_jwt: true }
  const CASES: readonly (readonly [where: string, WorldOptions, what: string, Input, status: number])[] = [
    ['without a LocalEnvironment, given nothing', {}, 'nothing', nothing, 400],
    ['without a LocalEnvironment, given certificates', {}, 'certificates', { orchestrator_ca_cert: CA }, 204],
    ['without a LocalEnvironment, given keys', {}, 'keys', { pem_keys: KEYS }, 204],
    ['with a LocalEnvironment that finds nothing, given nothing', inside({}), 'nothing', nothing, 400],
    ['with a LocalEnvironment that finds nothing, given keys', inside({}), 'keys', { pem_keys: KEYS }, 204],
    ['with a LocalEnvironment that cannot be read, given nothing', inside({ caCert: gone }), 'nothing', nothing, 400],
    ['with a LocalEnvironment that finds an empty file, given nothing', inside({ caCert: '' }), 'nothing', nothing, 400],
    ['with a LocalEnvironment that finds certificates, given nothing', inside({ caCert: LOCAL_CA }), 'nothing', nothing, 204],
    ['with local defaults disabled, given nothing', inside({ caCert: LOCAL_CA }), 'nothing', off, 400],
    [
      'with local defaults disabled, given certificates',
      inside({ caCert: LOCAL_CA }),
      'certificates',
      { ...off, orchestrator_ca_cert: CA },
      204,
    ],
    ['with local defaults disabled, given keys', inside({ caCert: LOCAL_CA }), 'keys', { ...off, pem_keys: KEYS }, 204],
  ]
  it.each(CASES)(
    'requires certificates or keys, depending on the reviewer and the local environment: %s',
    async (_, options, __, input, status) => {
      for (const view of VIEWS) {
        await using world = await openWorld({ ...options, config: null })
        expect((await view.ask(world.kernel, 'configure', { ...CONFIG, ...input })).status).toBe(status)
        // Local certificates are not returned as configured ones.
        const { status: read, data } = await view.ask(world.kernel, 'readConfig')
        expect([read, data?.['orchestrator_ca_cert']]).toEqual(
          status === 400 ? [404, undefined] : [200, input['orchestrator_ca_cert'] ?? ''],
        )
      }
    },
  )
})
