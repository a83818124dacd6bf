import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { fakeTokenReviewer } from '../../../src/testing/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { type ApiRequest, startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { describeGolden, golden, goldenPresent, type Texts } from '../golden/load.ts'
import { PATH, TYPED, VIEWS } from './views.ts'
import { BOUND, openWorld } from './world.ts'

interface Login {
  readonly status: number
  readonly metadata?: Texts
}

interface Tokens {
  readonly sets: Readonly<Record<string, readonly string[]>>
  readonly refused_pem_keys: Texts
  readonly tokens: readonly (Login & {
    readonly what: string
    readonly pem_keys: string
    readonly role: 'web' | 'aud'
    readonly jwt: string
  })[]
}

interface Reviews {
  readonly pem_keys: readonly string[]
  readonly orchestrator_ca_cert: string
  readonly exchanges: readonly {
    readonly name: string
    readonly host_path: string
    readonly role_audience: string
    readonly token_reviewer_jwt?: string
    readonly jwt: string
    /** Absent if the login causes no review. */
    readonly request?: Omit<ApiRequest, 'connection'>
    readonly login: Login
  }[]
}

const { sets, refused_pem_keys, tokens }: Tokens = goldenPresent
  ? golden('orchestrator-jwt')
  : { sets: {}, refused_pem_keys: {}, tokens: [] }
const { pem_keys, orchestrator_ca_cert, exchanges }: Reviews = goldenPresent
  ? golden('orchestrator-tokenreview')
  : { pem_keys: [], orchestrator_ca_cert: '', exchanges: [] }

describeGolden('orchestrator-jwt', 'orchestrator logins compared with recorded decisions of a real server', () => {
  describe.each(BACKENDS)('with $name', (crypto) => {
    it.each(tokens)('end with the recorded status: $what', async ({ pem_keys: set, role, jwt, status, metadata }) => {
      const reviewer = fakeTokenReviewer()
      await using world = await openWorld({ crypto, reviewer, config: { pem_keys: sets[set] } })
      await world.kernel.orchestrator.writeRole({ name: 'aud', ...BOUND, audience: 'strongroom' })
      for (const view of VIEWS) {
        const outcome = await world.login(view, jwt, { role })
        expect(outcome.status).toBe(status)
        // Recorded refusals have no metadata.
        if (metadata) expect(outcome.auth?.metadata).toEqual(metadata)
      }
      expect(await world.refusals()).toHaveLength(status === 200 ? 0 : VIEWS.length)
    })

    it.each(Object.entries(refused_pem_keys))('cannot be configured with the invalid key %s', async (_, pem) => {
      await using world = await openWorld({ crypto })
      const { data: before } = await TYPED.ask(world.kernel, 'readConfig')
      for (const view of VIEWS) {
        const outcome = await view.ask(world.kernel, 'configure', { orchestrator_host: 'https://b', pem_keys: [pem] })
        expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining('pem_keys')] })
      }
      expect((await PATH.ask(world.kernel, 'readConfig')).data).toEqual(before)
    })
  })

  it('include more than 20 tokens and more than 3 refused keys', () => {
    expect(tokens.length).toBeGreaterThan(20)
    expect(Object.keys(refused_pem_keys).length).toBeGreaterThan(3)
  })
})

describeGolden('orchestrator-tokenreview', 'token reviews compared with recorded exchanges of a real server', () => {
  it.each(exchanges)(
    'send the recorded request, and the login ends with the recorded status: $name',
    async ({ host_path, role_audience, token_reviewer_jwt, jwt, request, login }) => {
      await using api = await startTokenReviewApi()
      const config = {
        orchestrator_host: api.url + host_path,
        orchestrator_ca_cert,
        pem_keys,
        ...(token_reviewer_jwt === undefined ? {} : { token_reviewer_jwt }),
      }
      const role = role_audience === '' ? 'web' : 'aud'
      await using world = await openWorld({ reviewer: kubernetesTokenReviewer(), config })
      await world.kernel.orchestrator.writeRole({ name: 'aud', ...BOUND, audience: role_audience })
      for (const view of VIEWS) {
        const outcome = await world.login(view, jwt, { role })
        expect(outcome.status).toBe(login.status)
        expect(outcome.auth?.metadata).toEqual(login.metadata)
      }
      expect(api.requests.map(asCompared)).toEqual(request ? VIEWS.map(() => asCompared(request)) : [])
    },
  )

  it('include more than 20 exchanges', () => expect(exchanges.length).toBeGreaterThan(20))
})

/** Compares only what the recording contains. Strongroom trims white space around the reviewer token; the recorded server does not. */
function asCompared({ method, path, headers, body: { spec } }: Omit<ApiRequest, 'connection'>) {
  const { token, audiences } = spec
  const authorization = headers.authorization?.replace(/^Bearer\s+/, 'Bearer ').trim()
  return { method, path, authorization, token, audiences }
}
