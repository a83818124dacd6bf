/**
 * The service on a `node:http` server, called with the requests and headers of Consul's published clients.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConfigService, type OwnConfigService } from '../../src/config-service.ts'
import { memoryStorage } from '../../src/index.ts'
import { PublishedClient } from '../fixtures/configsvc-client.ts'
import { type ServedService, send, serveService } from '../fixtures/configsvc-http.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'
import { settle } from './turns.ts'

const MANAGEMENT = '00000000-0000-0000-0000-000000000001'
const UNKNOWN = 'd908c0be-22e1-433e-84db-8718e1a019de'

let service: OwnConfigService
let served: ServedService
let anonymous: PublishedClient
let client: PublishedClient
let secret: string
/** The query of each request that the server has received. */
let queries: (Readonly<Record<string, unknown>> | undefined)[]

const serve = (): Promise<ServedService> =>
  serveService({
    handle: (request) => {
      queries.push(request.query)
      return service.handle(request)
    },
  })

/** Resolves when a blocking read with this wait has arrived and has read once. */
async function isWaiting(wait: string): Promise<void> {
  await vi.waitFor(() => expect(queries).toContainEqual(expect.objectContaining({ wait })), { timeout: 60_000, interval: 5 })
  await settle()
}

beforeEach(async () => {
  queries = []
  service = await createConfigService({ storage: memoryStorage(), plaintext: true, naming: { headerPrefix: 'X-Consul' } })
  served = await serve()
  anonymous = new PublishedClient(served.endpoint)
  secret = (await anonymous.write('PUT', 'acl/bootstrap')).SecretID
  client = new PublishedClient(served.endpoint, secret)
})
afterEach(async () => {
  await served[Symbol.asyncDispose]()
  await service.close()
})

describe('a Consul client', () => {
  it('is refused when it bootstraps a second time', async () => {
    expect(await anonymous.send('PUT', 'acl/bootstrap')).toMatchObject({ status: 403 })
    expect(await client.read('acl/token/self')).toMatchObject({
      body: { SecretID: secret, Policies: [{ ID: MANAGEMENT, Name: 'global-management' }], CreateTime: expect.any(String) },
    })
  })

  it('creates, reads, changes and deletes policies, and can write back what it has read', async () => {
    const made = await client.create('policy', { Name: 'one', Rules: 'acl = "read"', Datacenters: ['dc1'] })
    expect(Buffer.from(made.Hash, 'base64')).toHaveLength(32)
    const changed = await client.update('policy', made.ID, { ...made, Description: 'new' })
    expect(changed).toMatchObject({ ...made, Description: 'new', Hash: expect.any(String), ModifyIndex: made.ModifyIndex + 1 })
    expect(await client.read(`acl/policy/${made.ID}`)).toMatchObject({
      body: changed,
      meta: { index: changed.ModifyIndex, knownLeader: true, lastContact: 0, defaultPolicy: 'deny', backend: 'blocking-query' },
    })
    for (const name of ['one', 'ONE']) expect((await client.read(`acl/policy/name/${name}`))?.body).toEqual(changed)
    expect((await client.read('acl/policies'))?.body.map(({ Name }: { Name: string }) => Name)).toContain('one')
    await client.delete('policy', made.ID)
    await client.delete('policy', made.ID)
    expect(await client.read(`acl/policy/${made.ID}`)).toBeUndefined()
    expect(await client.read('acl/policy/name/one')).toBeUndefined()
  })

  it('reads a policy whose name contains a slash, escaped or not', async () => {
    for (const name of ['builtin%2Fglobal-read-only', 'builtin/global-read-only', 'BUILTIN%2fglobal-read-only'])
      expect((await client.read(`acl/policy/name/${name}`))?.body.Name).toBe('builtin/global-read-only')
    const { endpoint } = served
    for (const name of ['builtin%2Fservice', 'builtin/service']) {
      const headers = { 'X-Consul-Token': secret }
      expect(await send(endpoint, 'GET', `/v1/acl/templated-policy/name/${name}`, { headers })).toMatchObject({
        status: 200,
        body: { TemplateName: 'builtin/service', Schema: expect.any(String), Template: expect.stringContaining('{{.Name}}') },
      })
      const preview = await client.write('POST', `acl/templated-policy/preview/${name}`, { Name: 'web' })
      expect(preview.Rules).toContain('service "web"')
    }
  })

  it('creates, reads, changes and deletes roles', async () => {
    const policy = await client.create('policy', { Name: 'p' })
    const made = await client.create('role', {
      Name: 'r',
      Policies: [{ ID: '', Name: 'p' }],
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
      TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { Name: 'api' } }],
    })
    expect(made).toMatchObject({
      Policies: [{ ID: policy.ID, Name: 'p' }],
      TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { name: 'api' } }],
    })
    expect(await client.update('role', made.ID, { ...made, Description: 'new' })).toMatchObject({
      Description: 'new',
      Policies: made.Policies,
    })
    expect((await client.read('acl/role/name/R'))?.body.ID).toBe(made.ID)
    expect((await client.read(`acl/roles?policy=${policy.ID}`))?.body).toHaveLength(1)
    await client.delete('role', made.ID)
    expect(await client.read(`acl/role/${made.ID}`)).toBeUndefined()
    expect((await client.read('acl/roles'))?.body).toEqual([])
  })

  it('creates, reads, changes, clones and deletes tokens', async () => {
    const made = await client.create('token', { Description: 'd', ExpirationTTL: '1h0m0s', Local: true })
    const read = (await client.read(`acl/token/${made.AccessorID}`))?.body
    expect(read).toEqual({ ...made, SecretID: '<hidden>' })
    expect(await client.update('token', made.AccessorID, { ...read, Description: 'new' })).toMatchObject({ Description: 'new' })
    expect(await client.update('token', made.AccessorID, { ...made, ExpirationTTL: '0s', Description: 'newer' })).toMatchObject({
      Description: 'newer',
      ExpirationTime: made.ExpirationTime,
    })
    const clone = await client.write('PUT', `acl/token/${made.AccessorID}/clone`, { Description: 'cloned' })
    expect(clone).toMatchObject({ Description: 'cloned', Local: true, SecretID: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect((await client.read('acl/token/self', { token: clone.SecretID }))?.body.AccessorID).toBe(clone.AccessorID)
    await client.delete('token', clone.AccessorID)
    expect(await client.send('GET', 'acl/token/self', undefined, { token: clone.SecretID })).toMatchObject({ status: 403 })
    expect((await client.read('acl/tokens'))?.body).toHaveLength(3)
  })

  it('configures an auth method, logs in and logs out', async () => {
    const Config = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'], ClaimMappings: { name: 'name' } }
    const method = await client.create('auth-method', { Name: 'jwt', Type: 'jwt', MaxTokenTTL: '2h0m0s', Config })
    expect(await client.update('auth-method', 'jwt', { ...method, DisplayName: 'ours' })).toMatchObject({ DisplayName: 'ours' })
    expect((await client.read('acl/auth-methods'))?.body).toHaveLength(1)
    const AuthMethod = 'jwt'
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the service.
    const rule = await client.create('binding-rule', { AuthMethod, BindType: 'service', BindName: '${value.name}' })
    await client.update('binding-rule', rule.ID, { ...rule, Selector: 'value.name == web' })
    expect((await client.read('acl/binding-rules?authmethod=jwt'))?.body).toHaveLength(1)
    const BearerToken = token('ES256', { iat: Math.floor(Date.now() / 1000), name: 'web' })
    const login = await anonymous.write('POST', 'acl/login', { AuthMethod, BearerToken, Meta: { pod: 'a' } })
    expect(login).toMatchObject({ AuthMethod, ServiceIdentities: [{ ServiceName: 'web' }], Local: true })
    await anonymous.write('POST', 'acl/logout', undefined, { token: login.SecretID })
    expect(await anonymous.send('POST', 'acl/logout', undefined, { token: login.SecretID })).toMatchObject({ status: 403 })
    expect(await anonymous.send('PUT', 'acl/login', {})).toMatchObject({ status: 405 })
    await client.delete('auth-method', 'jwt')
    expect((await client.read('acl/binding-rules'))?.body).toEqual([])
  })

  it('waits for a change with a blocking read', async () => {
    const { meta } = (await client.read('acl/roles')) as { meta: { index: number } }
    const waiting = client.read('acl/roles', { query: `index=${meta.index}&wait=30000ms` })
    await isWaiting('30000ms')
    const { CreateIndex } = await client.create('role', { Name: 'later' })
    expect(await waiting).toMatchObject({ body: [{ Name: 'later' }], meta: { index: CreateIndex } })
    expect(await client.read('acl/roles', { query: `index=${CreateIndex}&wait=20ms` })).toMatchObject({
      meta: { index: CreateIndex },
    })
  })

  it('that disconnects during a blocking read does not keep the server from closing', async () => {
    const gone = new AbortController()
    const waiting = client.read('acl/roles', { query: 'index=1&wait=10m', signal: gone.signal })
    const ended = expect(waiting).rejects.toThrow()
    await isWaiting('10m')
    gone.abort()
    await ended
    await served[Symbol.asyncDispose]()
    served = await serve()
  })
})

describe('the configuration service over HTTP', () => {
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send(served.endpoint, method, path, { headers })

  it('uses the token in the query first, then the token in X-Consul-Token, then the bearer token', async () => {
    expect(await ask(`/v1/acl/roles?token=${secret}`, { 'X-Consul-Token': UNKNOWN })).toMatchObject({ status: 200 })
    expect(await ask('/v1/acl/roles', { 'X-Consul-Token': secret, Authorization: `Bearer ${UNKNOWN}` })).toMatchObject({
      status: 200,
    })
    expect(await ask('/v1/acl/roles', { Authorization: `Bearer ${secret}` })).toMatchObject({ status: 200 })
    expect(await ask(`/v1/acl/roles?token=${UNKNOWN}`, { 'X-Consul-Token': secret })).toMatchObject({ status: 403 })
    expect(await ask('/v1/acl/roles')).toMatchObject({ status: 403 })
    expect(await ask('/v1/acl/roles', { 'X-Config-Token': secret })).toMatchObject({ status: 403 })
  })

  it('returns refusals as plain text', async () => {
    const header = { 'X-Consul-Token': secret }
    const refusals: readonly [number, Promise<Awaited<ReturnType<typeof ask>>>][] = [
      [400, ask('/v1/acl/roles?index=x', header)],
      [400, ask('/v1/acl/roles?wait=x', header)],
      [400, ask('/v1/acl/roles?stale&consistent', header)],
      [403, ask('/v1/acl/roles')],
      [403, ask('/v1/acl/roles', { 'X-Consul-Token': UNKNOWN })],
      [404, ask(`/v1/acl/role/${UNKNOWN}`, header)],
      [404, ask('/v1/acl/nothing', header)],
      [405, ask('/v1/acl/roles', header, 'POST')],
      [405, ask('/v1/acl/role', header, 'GET')],
    ]
    for (const [status, refusal] of refusals) {
      const { status: got, headers, text } = await refusal
      expect([got, headers.get('Content-Type'), text]).toEqual([status, 'text/plain', expect.stringMatching(/^[^{"].+/)])
    }
    expect((await ask('/v1/acl/roles')).text).toMatch(/^Permission denied/)
    expect(await send(served.endpoint, 'POST', '/v1/acl/logout')).toMatchObject({ status: 401 })
  })

  it('returns the accepted verbs of a path in the Allow header', async () => {
    const header = { 'X-Consul-Token': secret }
    expect((await ask('/v1/acl/roles', header, 'DELETE')).headers.get('Allow')).toBe('OPTIONS,GET')
    const verbs = (await ask(`/v1/acl/role/${UNKNOWN}`, header, 'OPTIONS')).headers.get('Allow')
    expect(verbs?.split(',').sort()).toEqual(['DELETE', 'GET', 'OPTIONS', 'PUT'])
  })

  it('answers HEAD with headers and without a body', async () => {
    const { status, headers, text } = await ask('/v1/acl/roles', { 'X-Consul-Token': secret }, 'HEAD')
    expect([status, Number(headers.get('X-Consul-Index')) >= 1, text]).toEqual([200, true, ''])
  })

  it('indents its answer if the query contains pretty', async () => {
    const header = { 'X-Consul-Token': secret }
    const { text, headers } = await ask('/v1/acl/policies?pretty', header)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 4)}\n`)
    expect(text).toMatch(/^\[\n {4}\{\n {8}"ID"/)
    expect((await ask(`/v1/acl/role/${UNKNOWN}`, header)).headers.get('X-Consul-Index')).toBe('1')
  })

  it('returns the consistency mode of a read in a header', async () => {
    for (const [query, mode] of [
      ['', 'leader'],
      ['?stale', 'stale'],
      ['?consistent', 'consistent'],
    ])
      expect(
        (await ask(`/v1/acl/roles${query}`, { 'X-Consul-Token': secret })).headers.get('X-Consul-Effective-Consistency'),
      ).toBe(mode)
  })

  it('answers DELETE with true if the record existed, and otherwise with false', async () => {
    const { ID } = await client.create('role', { Name: 'r' })
    const path = `/v1/acl/role/${ID}`
    const deletion = async () => (await ask(path, { 'X-Consul-Token': secret }, 'DELETE')).body
    expect([await deletion(), await deletion()]).toEqual([true, false])
  })

  it('answers a body above 1 MiB with 413', async () => {
    const { status, headers } = await send(served.endpoint, 'PUT', '/v1/acl/policy', {
      headers: { 'X-Consul-Token': secret },
      body: { Name: 'big', Rules: `# ${'x'.repeat(1_100_000)}` },
    })
    expect([status, headers.get('Content-Type')]).toEqual([413, 'text/plain'])
  })
})
