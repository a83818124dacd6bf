import { expect, it } from 'vitest'
import { HOST } from '../engines/orchestrator/world.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { ask, canonical, GOOD, jwt, KEYS, open, role, signed } from './login-arbitraries.ts'

const RUNS = runs({ quick: 50, soak: 5_000 })

const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(...KEYS, [KEYS[0]], [KEYS[2], KEYS[1]], HOST, 'h:1', ['*'], ['web'], ['prod'], '*'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>('', [], 0, 60, '1h', -1, true, false, null, 'batch', 'service', 'serviceaccount_name'),
  },
  { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), fc.string(), fc.array(fc.string()), fc.double({ noNaN: true })) },
)
/** Only a few settings, so that not every write has an invalid one. */
const settings = (...names: readonly string[]) => fc.dictionary(fc.constantFrom(...names, 'other'), value, { maxKeys: 3 })
const START = { orchestrator_host: HOST, pem_keys: KEYS }
const configured = settings(
  'orchestrator_host',
  'orchestrator_ca_cert',
  'token_reviewer_jwt',
  'pem_keys',
  'disable_local_ca_jwt',
  'issuer',
  'disable_iss_validation',
  'kubernetes_host',
  'kubernetes_ca_cert',
)
const config = fc.oneof(
  configured,
  configured.map((some) => ({ ...START, ...some })),
)
const settingsOfRoles = settings(
  'bound_service_account_names',
  'bound_service_account_namespaces',
  'audience',
  'alias_name_source',
  'token_ttl',
  'token_max_ttl',
  'token_explicit_max_ttl',
  'token_period',
  'token_policies',
  'token_bound_cidrs',
  'token_no_default_policy',
  'token_num_uses',
  'token_type',
  'policies',
  'ttl',
  'num_uses',
  'bound_cidrs',
)
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('web', 'Web', 'any') },
  { weight: 1, arbitrary: fc.constantFrom('new', 'x.', '__proto__', 'x'.repeat(3_000)) },
  { weight: 1, arbitrary: fc.string() },
)
const login = fc.record({
  role: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>('web') }, { weight: 1, arbitrary: role }),
  jwt: fc.oneof({ weight: 1, arbitrary: fc.constant<unknown>(GOOD) }, { weight: 2, arbitrary: jwt }),
})
const write = fc.record({ method: fc.constant('POST'), path: fc.constant('fuzz/config'), body: config as fc.Arbitrary<unknown> })
const onRole = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'DELETE', 'LIST', 'PATCH'),
  path: name.map((text) => `fuzz/role/${encodeURIComponent(text)}`),
  body: settingsOfRoles as fc.Arbitrary<unknown>,
})
const read = fc.record({
  method: fc.constantFrom('GET', 'LIST', 'DELETE'),
  path: fc.constantFrom('fuzz/config', 'fuzz/role', 'fuzz/login'),
  body: fc.constant<unknown>(undefined),
})
const logIn = fc.record({
  method: fc.constant('POST'),
  path: fc.constant('fuzz/login'),
  body: fc.oneof({ weight: 9, arbitrary: login as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: fc.jsonValue() }),
})
const act = fc.oneof(
  { weight: 3, arbitrary: write },
  { weight: 4, arbitrary: onRole },
  { weight: 1, arbitrary: read },
  { weight: 4, arbitrary: logIn },
)

it(`${RUNS} random sequences of orchestrator writes, reads and logins cause no server error and no login without a valid signature`, async () => {
  const kernel = await open({})
  await kernel.mounts.createAuthMethod({ path: 'fuzz', type: 'orchestrator' })
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 10 }), async (acts) => {
      await ask(kernel, 'POST', 'fuzz/config', START)
      await ask(kernel, 'POST', 'fuzz/role/web', { bound_service_account_names: '*', bound_service_account_namespaces: '*' })
      for (const { method, path, body } of acts) {
        const { status } = await ask(kernel, method, path, body)
        const what = `${path.split('/')[1]} ${status}`
        seen.set(what, (seen.get(what) ?? 0) + 1)
        if (path === 'fuzz/login' && status === 200) {
          const { jwt: sent } = body as { readonly jwt: unknown }
          expect(signed.has(canonical(String(sent)))).toBe(true)
        }
      }
    }),
    { numRuns: RUNS },
  )
  for (const what of ['config 204', 'config 400', 'role 204', 'role 400', 'login 200', 'login 403'])
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0)
  await kernel.close()
})
