// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
/**
 * Logins with keys that an identity provider publishes, using `httpsKeySets`: the auth method, binding rules and workload identity tokens
 * that Nomad's `setup consul` creates, and an OpenID Connect issuer.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { httpsKeySets } from '../../../src/adapters/key-sets-https/index.ts'
import { RSA, token } from '../../unit/core/jwt/tokens.ts'
import { type Answer, LoginWorld } from './login-world.ts'

let server: Server
let base: string
let answer: (path: string) => { readonly status: number; readonly body: string }
let requestedUrls: string[]

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    requestedUrls.push(url)
    const { status, body } = answer(url)
    response.writeHead(status, { 'Content-Type': 'application/json', Location: '/other' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const KEYS = JSON.stringify({ keys: [{ ...RSA.publicKey.export({ format: 'jwk' }), kid: 'nomad-1', use: 'sig', alg: 'RS256' }] })

beforeEach(() => {
  requestedUrls = []
  answer = (path) => {
    if (path.endsWith('openid-configuration'))
      return { status: 200, body: JSON.stringify({ issuer: base, jwks_uri: `${base}/.well-known/jwks.json` }) }
    return { status: 200, body: KEYS }
  }
})

const MAPPED = ['nomad_namespace', 'nomad_job_id', 'nomad_task', 'nomad_service']

const method = (more: object) => ({
  Type: 'jwt',
  Config: {
    JWTSupportedAlgs: ['RS256'],
    BoundAudiences: ['consul.io'],
    ClaimMappings: Object.fromEntries(MAPPED.map((name) => [name, name])),
    ...more,
  },
})

/** The auth method, binding rules and role that `nomad setup consul` creates. */
async function openNomad(more: object = { JWKSURL: `${base}/.well-known/jwks.json` }): Promise<LoginWorld> {
  const world = await LoginWorld.open({ ports: { keySets: httpsKeySets() } })
  const made: Answer[] = [
    await world.ask('PUT', 'auth-method', {
      Name: 'nomad-workloads',
      Description: 'Login method for Nomad workloads',
      ...method(more),
    }),
    await world.ask('PUT', 'role', { Name: 'nomad-tasks-default', ServiceIdentities: [{ ServiceName: 'tasks' }] }),
    await world.ask('PUT', 'binding-rule', {
      AuthMethod: 'nomad-workloads',
      BindType: 'service',
      BindName: '${value.nomad_service}',
      Selector: '"nomad_service" in value',
    }),
    await world.ask('PUT', 'binding-rule', {
      AuthMethod: 'nomad-workloads',
      BindType: 'role',
      BindName: 'nomad-tasks-${value.nomad_namespace}',
      Selector: '"nomad_service" not in value',
    }),
  ]
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  return world
}

function logIn(
  world: LoginWorld,
  claims: object,
  header: object = { alg: 'RS256', kid: 'nomad-1', typ: 'JWT' },
): Promise<Answer> {
  const iat = world.now
  const all = {
    aud: 'consul.io',
    iat,
    nbf: iat,
    exp: iat + 3600,
    jti: 'x',
    nomad_namespace: 'default',
    nomad_job_id: 'api',
    ...claims,
  }
  return world.ask('POST', 'login', { AuthMethod: 'nomad-workloads', BearerToken: token('RS256', all, header) }, null)
}

describe('logins of Nomad workloads', () => {
  it('get the grants of the binding rules for services and tasks', async () => {
    await using world = await openNomad()
    expect(await logIn(world, { nomad_service: 'api-http' })).toMatchObject({
      status: 200,
      body: { AuthMethod: 'nomad-workloads', ServiceIdentities: [{ ServiceName: 'api-http' }] },
    })
    expect(await logIn(world, { nomad_task: 'server' })).toMatchObject({
      status: 200,
      body: { Roles: [{ Name: 'nomad-tasks-default' }] },
    })
    expect(requestedUrls).toEqual(['/.well-known/jwks.json'])
  })

  it.each([
    ['a key that the key set lacks', { kid: 'nomad-1', alg: 'RS256' }, 'the provider has another key'],
    ['another audience', { kid: 'nomad-1', alg: 'RS256' }, 'audience'],
  ])('are refused with %s', async (_, header, why) => {
    if (why !== 'audience') {
      const other = { kty: 'RSA', n: `${RSA.publicKey.export({ format: 'jwk' }).n?.slice(0, -4)}AAAB`, e: 'AQAB', kid: 'nomad-1' }
      answer = () => ({ status: 200, body: JSON.stringify({ keys: [other] }) })
    }
    await using world = await openNomad()
    expect((await logIn(world, why === 'audience' ? { aud: 'vault.io' } : {}, header)).status).toBe(403)
  })
})

describe('a login with an OpenID Connect issuer', () => {
  it('accepts only the tokens of that issuer', async () => {
    await using world = await openNomad({ OIDCDiscoveryURL: base })
    expect((await logIn(world, { iss: base, nomad_service: 'a' })).status).toBe(200)
    expect((await logIn(world, { iss: `${base}/`, nomad_service: 'a' })).status).toBe(403)
    expect((await logIn(world, { nomad_service: 'a' })).status).toBe(403)
    expect(requestedUrls).toEqual(['/.well-known/openid-configuration', '/.well-known/jwks.json'])
  })
})

describe('an identity provider that fails', () => {
  it.each([
    ['responds with 500', () => ({ status: 500, body: KEYS })],
    ['redirects', () => ({ status: 302, body: KEYS })],
    ['responds with text that is not JSON', () => ({ status: 200, body: '<html>' })],
    ['responds with more than 1 MiB', () => ({ status: 200, body: JSON.stringify({ keys: [], x: 'x'.repeat(1_048_576) }) })],
  ])('makes logins fail if it %s, and is not called again for one second', async (_, failing) => {
    answer = failing
    await using world = await openNomad()
    for (let nth = 0; nth < 3; nth++) expect((await logIn(world, { nomad_service: 'a' })).status).toBe(403)
    expect(requestedUrls).toEqual(['/.well-known/jwks.json'])
    answer = () => ({ status: 200, body: KEYS })
    await world.clock.advance(1000)
    expect((await logIn(world, { nomad_service: 'a' })).status).toBe(200)
  })
})

it('reading an auth method with a key set URL returns the URL as it was written', async () => {
  await using world = await openNomad()
  expect(await world.ask('GET', 'auth-method/nomad-workloads')).toMatchObject({
    status: 200,
    body: { Config: { JWKSURL: `${base}/.well-known/jwks.json`, BoundAudiences: ['consul.io'] } },
  })
})
