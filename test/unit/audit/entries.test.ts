/** Expectations follow the audit log of OpenBao. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../src/index.ts'
import { type Audited, audited, dataOf } from './support.ts'

const HMAC = /^hmac-sha256:[0-9a-f]{64}$/
const DENIED = '1 error occurred:\n\t* permission denied\n\n'

let it_: Audited
beforeEach(async () => {
  it_ = await audited()
})
afterEach(() => it_.kernel.close())

const hashOf = async (input: string): Promise<string> => (await it_.kernel.audit.hash({ path: 'main', input })).hash
const [first, second] = [0, 1]

/** Returns the two entries of one request. */
async function both(run: () => Promise<unknown>): Promise<readonly [AuditEntry, AuditEntry]> {
  it_.take()
  await run()
  const entries = it_.take()
  expect(entries.map(({ type }) => type)).toEqual(['request', 'response'])
  expect(entries[second]?.request).toEqual(entries[first]?.request)
  expect(entries[second]?.auth).toEqual(entries[first]?.auth)
  return [entries[first] as AuditEntry, entries[second] as AuditEntry]
}

describe('the audit entry of a request', () => {
  it("has its members in Vault's order and the request id of the answer", async () => {
    await it_.kernel.policies.writePolicy({ name: 'reader', policy: 'path "x" { capabilities = ["read"] }' })
    it_.take()
    const answer = await it_.send('POST', 'auth/token/create', {
      body: { policies: ['reader'], num_uses: 3 },
      remoteAddress: '127.0.0.1',
    })
    const [request, response] = it_.take().map(({ line }) => JSON.parse(line))
    expect(Object.keys(request)).toEqual(['time', 'type', 'auth', 'request', 'chain'])
    expect(Object.keys(response)).toEqual(['time', 'type', 'auth', 'request', 'response', 'chain'])
    expect(Object.keys(request.auth)).toEqual([
      'client_token',
      'accessor',
      'display_name',
      'policies',
      'token_policies',
      'policy_results',
      'token_type',
      'token_issue_time',
    ])
    expect(Object.keys(request.request)).toEqual([
      'id',
      'operation',
      'mount_point',
      'mount_type',
      'mount_accessor',
      'mount_class',
      'client_token',
      'client_token_accessor',
      'namespace',
      'path',
      'data',
      'remote_address',
    ])
    expect(Object.keys(response.response)).toEqual(['auth', 'mount_point', 'mount_type', 'mount_accessor', 'mount_class'])
    expect(request.request.id).toBe((answer.body as { request_id: string }).request_id)
  })

  it("contains the caller's policies and display name, and the token only as an HMAC", async () => {
    const [{ auth, request, time }] = await both(() => it_.send('GET', 'secret/none'))
    expect(auth).toMatchObject({
      client_token: await hashOf(it_.kernel.rootToken ?? ''),
      display_name: 'root',
      policies: ['root'],
      policy_results: { allowed: true, granting_policies: [{ name: 'root', namespace_id: 'root', type: 'acl' }] },
      token_type: 'service',
    })
    expect(request.client_token).toBe(auth?.client_token)
    expect(request.client_token_accessor).toMatch(HMAC)
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
  })

  it('contains string values of the data as HMACs, but timestamps and values of other types in clear text', async () => {
    const data = {
      'a key': 'z',
      big: 1.5,
      empty: '',
      list: ['a', 3, { deep: 'a' }],
      nested: { when: '2026-01-01T00:00:00Z', inner: 'x' },
      nothing: null,
      yes: true,
      __proto_: 'p',
    }
    const [request] = await both(() => it_.send('POST', 'secret/app', { body: data }))
    expect(request.request).toMatchObject({ operation: 'create', path: 'secret/app', mount_type: 'kv', mount_class: 'secret' })
    expect(request.request.data).toEqual({
      ...data,
      'a key': await hashOf('z'),
      empty: expect.stringMatching(HMAC),
      list: [await hashOf('a'), 3, { deep: await hashOf('a') }],
      nested: { when: '2026-01-01T00:00:00Z', inner: await hashOf('x') },
      __proto_: await hashOf('p'),
    })
    const [, response] = await both(() => it_.send('GET', 'secret/app'))
    expect(response.response).toMatchObject({ secret: {}, data: { big: 1.5, nested: { inner: await hashOf('x') } } })
    expect((await both(() => it_.send('POST', 'secret/app', { body: data })))[0].request.operation).toBe('update')
  })

  it('contains a member called __proto__ and every digit of a large number', async () => {
    const body = Buffer.from('{"__proto__":"x","big":123456789012345678901234567890}')
    const [{ line }] = await both(() => it_.send('POST', 'secret/odd', { body }))
    expect(line).toContain(`"__proto__":"${await hashOf('x')}"`)
    expect(line).toContain('"big":123456789012345678901234567890')
  })

  it('contains a value in clear text if the mount exempts its innermost member name from hashing', async () => {
    await it_.kernel.mounts.tuneMount({
      path: 'secret',
      audit_non_hmac_request_keys: ['clear'],
      audit_non_hmac_response_keys: ['clear', 'keys'],
    })
    const [request] = await both(() =>
      it_.send('POST', 'secret/app', { body: { clear: 'seen', in: { clear: ['y'], not: 'x' } } }),
    )
    expect(request.request.data).toEqual({ clear: 'seen', in: { clear: ['y'], not: await hashOf('x') } })
    expect((await both(() => it_.send('LIST', 'secret')))[1].response?.data).toEqual({ keys: ['app'] })
  })

  it('contains the query parameters of a read as data, and for a list only a path that ends with a slash', async () => {
    const [read] = await both(() => it_.send('GET', 'secret/app', { query: { foo: 'bar' } }))
    expect(read.request.data).toEqual({ foo: await hashOf('bar') })
    const [list] = await both(() => it_.send('GET', 'secret', { query: { list: 'true' } }))
    expect(list.request).toMatchObject({ operation: 'list', path: 'secret/' })
    expect(list.request.data).toBeUndefined()
  })

  it('omits a query string that the caller passed as part of the path, because paths are in clear text', async () => {
    const entries = await both(() => it_.send('GET', 'secret/app?token=hidden'))
    expect(JSON.stringify(entries)).not.toContain('hidden')
    expect(entries[first]?.request.path).toBe('secret/app')
  })

  it('contains only the request headers that the audit configuration lists', async () => {
    await it_.kernel.audit.writeRequestHeader({ header: 'X-Trace' })
    await it_.kernel.audit.writeRequestHeader({ header: 'X-Secret', hmac: true })
    const headers = { 'x-TRACE': 'abc', 'X-Secret': ['hid', 'other'], 'X-Third': 'no' }
    const [{ request }] = await both(() => it_.send('GET', 'secret/app', { headers }))
    expect(request.headers).toEqual({ 'x-trace': ['abc'], 'x-secret': [await hashOf('hid'), await hashOf('other')] })
    await it_.kernel.audit.deleteRequestHeader({ header: 'x-trace' })
    await it_.kernel.audit.deleteRequestHeader({ header: 'x-secret' })
    expect((await both(() => it_.send('GET', 'secret/app', { headers })))[0].request.headers).toBeUndefined()
  })

  it('contains the namespace and a mount point that begins with the namespace path', async () => {
    const { id } = await it_.kernel.namespaces.createNamespace({ name: 'team' })
    await it_.kernel.namespace('team').mounts.createMount({ path: 'kv', type: 'kv' })
    const [{ request }] = await both(() =>
      it_.send('POST', 'kv/a', { headers: { 'X-Service-Namespace': 'team' }, body: { a: 'b' } }),
    )
    expect(request).toMatchObject({ namespace: { id, path: 'team/' }, path: 'kv/a', mount_point: 'team/kv/' })
  })
})

describe('the audit entry of an answer', () => {
  it('contains a new token and its accessor as HMACs, and its display name, policies and metadata in clear text', async () => {
    let token = ''
    const [, response] = await both(async () => {
      const { client_token } = await it_.kernel.tokens.createToken({
        display_name: 'ann',
        meta: { team: 'red' },
        num_uses: 3,
        policies: ['reader'],
      })
      token = client_token
    })
    expect(response.response?.auth).toEqual({
      client_token: await hashOf(token),
      accessor: expect.stringMatching(HMAC),
      display_name: 'token-ann',
      policies: ['default', 'reader'],
      token_policies: ['default', 'reader'],
      metadata: { team: 'red' },
      num_uses: 3,
      token_type: 'service',
      token_ttl: 2764800,
    })
    expect(response.response?.data).toBeUndefined()
  })

  it('contains wrap_info instead of data if the answer is wrapped, and the data when the answer is unwrapped', async () => {
    await it_.kernel.kv.writeSecret({ path: 'app', data: { password: 'bar' } })
    let token = ''
    const [request, response] = await both(async () => {
      const { body } = await it_.send('GET', 'secret/app', { headers: { 'X-Service-Wrap-TTL': '60' } })
      token = (body as { wrap_info: { token: string } }).wrap_info.token
    })
    expect(request.request.wrap_ttl).toBe(60)
    expect(response.response?.data).toBeUndefined()
    expect(response.response?.wrap_info).toEqual({
      ttl: 60,
      token: await hashOf(token),
      accessor: expect.stringMatching(HMAC),
      creation_time: expect.stringMatching(/Z$/),
      creation_path: 'secret/app',
    })
    const [, opened] = await both(() => it_.send('POST', 'sys/wrapping/unwrap', { token }))
    expect(opened.response?.data).toEqual({ password: await hashOf('bar') })
  })

  it('contains an HMAC of the raw body if the answer has no envelope', async () => {
    await it_.kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    const kv = it_.kernel.kv2.at('kv')
    await kv.writeSecret({ path: 'a', data: { b: 'c' } })
    await kv.deleteLatest({ path: 'a' }).catch(() => undefined)
    await it_.send('DELETE', 'kv/data/a')
    let text = ''
    const [, response] = await both(async () => {
      const { body } = await it_.send('GET', 'kv/data/a')
      text = JSON.stringify(body)
    })
    expect(response.response?.data).toEqual({
      http_status_code: 404,
      http_content_type: await hashOf('application/json'),
      http_raw_body: await hashOf(text),
    })
  })
})

describe('the audit log of refused requests', () => {
  it.each([
    ['without a token', null],
    ['with an unknown token', 's.000000000000000000000000'],
  ])('%s contains a request and a response entry, each with the error', async (_, token) => {
    const [request, response] = await both(() => it_.send('GET', 'secret/app', { token }))
    expect(request.auth).toEqual({ token_type: 'default' })
    expect(request.error).toBe(DENIED)
    expect(response.error).toBe(DENIED)
    expect(response.response?.data).toEqual({ error: await hashOf('permission denied') })
    expect(request.request.client_token).toBe(token === null ? undefined : await hashOf(token))
  })

  it('identifies a caller whose policies do not allow the request', async () => {
    const { client_token } = await it_.kernel.tokens.createToken({ policies: ['reader'], num_uses: 3 })
    const [request] = await both(() => it_.send('POST', 'secret/app', { token: client_token, body: { password: 'x' } }))
    expect(request.error).toBe(DENIED)
    expect(request.auth).toMatchObject({ policies: ['default', 'reader'], policy_results: { allowed: false }, remaining_uses: 3 })
    const [again] = await both(() => it_.send('GET', 'secret/app', { token: client_token }))
    expect(again.auth?.remaining_uses).toBe(2)
  })

  it('contains no granting policies, unlike the log of an allowed request', async () => {
    await it_.kernel.policies.writePolicy({ name: 'p', policy: 'path "secret/*" { capabilities = ["read"] }' })
    const { client_token } = await it_.kernel.tokens.createToken({ policies: ['p'] })
    const [request] = await both(() => it_.send('GET', 'secret/app', { token: client_token }))
    expect(request.error).toBeUndefined()
    expect(request.auth?.policy_results).toEqual({
      allowed: true,
      granting_policies: [{ name: 'p', namespace_id: 'root', type: 'acl' }],
    })
  })

  it.each([
    ['an unknown mount', 'GET', 'nowhere/x', {}],
    ['an unknown path', 'GET', 'sys/nothing', {}],
    ['an unsupported verb', 'GET', 'transit/encrypt/k', {}],
    ['an invalid value', 'POST', 'transit/keys/k', { body: { type: 'stone' } }],
    ['a missing key', 'POST', 'transit/decrypt/none', { body: { ciphertext: 'x' } }],
  ])('contains the error only in the response entry for %s', async (_, method, path, more) => {
    const [request, response] = await both(() => it_.send(method, path, more))
    expect(request.error).toBeUndefined()
    expect(response.error).toEqual(expect.any(String))
  })

  it.each([
    ['a relative path', 'GET', 'secret/../sys/x', {}],
    ['an unknown namespace', 'GET', 'secret/x', { headers: { 'X-Service-Namespace': 'none' } }],
    ['a write to a folder', 'POST', 'secret/x/', {}],
  ])('contains the error in both the request and the response entry for %s', async (_, method, path, more) => {
    const [request, response] = await both(() => it_.send(method, path, more))
    expect(request.error).toEqual(expect.any(String))
    expect(response.error).toBe(request.error)
  })

  it('contains only a request entry for an unwrap request with an invalid wrapping token and no other token', async () => {
    await it_.send('POST', 'sys/wrapping/unwrap', { token: null, body: { token: 'none' } })
    const entries = it_.take()
    expect(entries.map(({ type }) => type)).toEqual(['request'])
    expect(entries[first]?.error).toMatch(/wrapping token is not valid/)
  })

  it('is empty for malformed JSON and unknown verbs, like the log of health and seal-status requests', async () => {
    await it_.send('GET', 'sys/health')
    await it_.send('GET', 'sys/seal-status')
    await it_.send('POST', 'secret/app', { body: Buffer.from('{') })
    await it_.send('BREW', 'secret/app')
    expect(it_.take()).toEqual([])
  })
})

describe('the audit entries of a typed call', () => {
  it('name the application as the caller and contain the equivalent call by path', async () => {
    await it_.kernel.transit.createKey({ name: 'orders' })
    const plaintext = new TextEncoder().encode('secret')
    const [request, response] = await both(() => it_.kernel.transit.encrypt({ name: 'orders', plaintext }))
    expect(request.auth).toEqual({ display_name: 'app', policy_results: { allowed: true }, token_type: 'default' })
    expect(request.request).toMatchObject({
      operation: 'update',
      path: 'transit/encrypt/orders',
      mount_type: 'transit',
      data: { plaintext: await hashOf(Buffer.from(plaintext).toString('base64')) },
    })
    expect(response.response?.data).toEqual({ ciphertext: expect.stringMatching(HMAC), key_version: 1 })
  })

  it('contain a document by its members and a batch by its items', async () => {
    const [written] = await both(() => it_.kernel.kv.writeSecret({ path: 'a', data: { user: 'x', n: 1 } }))
    expect(written.request.data).toEqual({ user: await hashOf('x'), n: 1 })
    await it_.kernel.transit.createKey({ name: 'k' })
    const [request, response] = await both(() =>
      it_.kernel.transit.decryptBatch({ name: 'k', batch_input: [{ ciphertext: 'nonsense', reference: 'r' }] }),
    )
    expect(request.request.data).toEqual({
      batch_input: [{ ciphertext: await hashOf('nonsense'), reference: await hashOf('r') }],
    })
    expect(response.response?.data?.['batch_results']).toEqual([
      expect.objectContaining({ error: expect.stringMatching(HMAC), reference: await hashOf('r') }),
    ])
  })

  it('identify the token of the call, whether it is valid or refused', async () => {
    const { client_token } = await it_.kernel.tokens.createToken({ policies: ['none'], display_name: 'bob' })
    const [request] = await both(() =>
      it_.kernel
        .as(client_token, { remoteAddress: '10.0.0.1' })
        .kv.readSecret({ path: 'a' })
        .catch(() => {}),
    )
    expect(request).toMatchObject({ error: DENIED, auth: { display_name: 'token-bob' }, request: { remote_address: '10.0.0.1' } })
    const [wrong] = await both(() =>
      it_.kernel
        .as('wrong')
        .kv.readSecret({ path: 'a' })
        .catch(() => {}),
    )
    expect(wrong).toMatchObject({
      error: DENIED,
      auth: { token_type: 'default' },
      request: { client_token: await hashOf('wrong') },
    })
  })

  it('contain the error of a call to a path without a mount', async () => {
    const [, response] = await both(() =>
      it_.kernel.transit
        .at('none')
        .listKeys()
        .catch(() => {}),
    )
    expect(response).toMatchObject({ error: expect.any(String), request: { path: 'none/keys' } })
  })
})

describe('an audit sink', () => {
  it('can be configured to log raw values, clear accessors, or counts instead of list names', async () => {
    const lines: Record<string, AuditEntry[]> = { raw: [], clear: [], short: [] }
    const sinkOf = (name: string) => (entry: AuditEntry) => void lines[name]?.push(entry)
    const { kernel, send } = await audited({
      ports: {
        audit: {
          sinks: {
            raw: { sink: sinkOf('raw'), log_raw: true },
            clear: { sink: sinkOf('clear'), hmac_accessor: false },
            short: { sink: sinkOf('short'), elide_list_responses: true },
          },
        },
      },
    })
    await kernel.kv.writeSecret({ path: 'app', data: { a: 'b' } })
    for (const all of Object.values(lines)) all.length = 0
    await send('LIST', 'secret')
    const [raw, clear, short] = Object.values(lines).map((all) => all[second] as AuditEntry)
    expect(raw?.auth?.client_token).toBe(kernel.rootToken)
    expect(raw?.response?.data).toEqual({ keys: ['app'] })
    expect(clear?.auth?.accessor).toBe(raw?.auth?.accessor)
    expect(clear?.auth?.client_token).toMatch(HMAC)
    expect(short?.response?.data).toEqual({ keys: 1 })
    expect(clear?.auth?.client_token).not.toBe(short?.auth?.client_token)
    await kernel.close()
  })
})

it('sys/audit-hash computes the same hash as the audit log', async () => {
  const { body } = await it_.send('POST', 'sys/audit-hash/main', { body: { input: 'bar' } })
  expect(dataOf({ body })['hash']).toBe(await hashOf('bar'))
})
