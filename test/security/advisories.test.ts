/**
 * Public advisories of Vault, OpenBao and Consul, tried against a kernel. SECURITY.md has a row for each of them. Advisories that a test
 * over all operations covers are tried in that test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel } from '../../src/chosen-kernel.ts'
import { AUTH, authWire, engineValue, invalid, NO_TOKEN_SETTINGS, operation } from '../../src/engine.ts'
import { createDevKernel, type Kernel, type KernelRequest, keySeal, memoryStorage } from '../../src/index.ts'

interface Answer {
  readonly status: number
  readonly body: {
    readonly data?: Record<string, unknown>
    readonly auth?: { readonly client_token: string; readonly accessor: string; readonly policies: readonly string[] }
    readonly errors?: readonly string[]
  }
}

let kernel: Kernel
let root: string

beforeAll(async () => {
  kernel = await createDevKernel()
  root = kernel.rootToken as string
})
afterAll(() => kernel.close())

async function send(method: string, path: string, more: { body?: unknown; token?: string; namespace?: string } = {}) {
  const { body, token = root, namespace } = more
  const headers = { 'X-Service-Token': token, ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }) }
  return (await kernel.handle({ method, path: `/v1/${path}`, headers, body } as KernelRequest)) as Answer
}

const ALL = 'path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list", "sudo"] }'

/** A token with all rights in one namespace. */
async function administrator(namespace: string): Promise<{ token: string; accessor: string }> {
  await send('POST', 'sys/policies/acl/all', { namespace, body: { policy: ALL } })
  const made = await send('POST', 'auth/token/create', { namespace, body: { policies: ['all'] } })
  expect(made.status).toBe(200)
  const { client_token: token, accessor } = made.body.auth ?? { client_token: '', accessor: '' }
  return { token, accessor }
}

describe('a namespace', () => {
  let own: { token: string; accessor: string }
  let victim: { token: string; accessor: string }
  let leaseId: string

  beforeAll(async () => {
    for (const name of ['one', 'two']) await send('POST', `sys/namespaces/${name}`, { body: {} })
    own = await administrator('one')
    victim = await administrator('two')
    const folder = 'sys/leases/lookup/auth/token/create'
    const { body } = await send('LIST', folder, { namespace: 'two' })
    leaseId = `auth/token/create/${(body.data as { keys: string[] }).keys[0]}`
  })

  const isAlive = async () =>
    (await send('GET', 'auth/token/lookup-self', { token: victim.token, namespace: 'two' })).status === 200

  it.each(['lookup-accessor', 'renew-accessor', 'revoke-accessor'])(
    'protects its accessors from %s in another namespace (GHSA-p49j-v9wc-wg57)',
    async (operation) => {
      expect(await isAlive()).toBe(true)
      for (const spelling of [victim.accessor, `${victim.accessor}.two`, `two/${victim.accessor}`]) {
        const { status } = await send('POST', `auth/token/${operation}`, {
          token: own.token,
          namespace: 'one',
          body: { accessor: spelling },
        })
        // Revoking an unknown accessor succeeds, as in OpenBao.
        if (operation !== 'revoke-accessor') expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
      }
      expect(await isAlive()).toBe(true)
    },
  )

  it.each([
    'sys/leases/lookup',
    'sys/leases/renew',
    'sys/leases/revoke',
    'sys/renew',
    'sys/revoke',
    'sys/leases/revoke-prefix',
    'sys/leases/revoke-force',
    'sys/revoke-prefix',
    'sys/revoke-force',
  ])('protects its leases from %s in another namespace (GHSA-c36x-h252-g9x2, GHSA-v8v8-cm84-m686)', async (operation) => {
    for (const spelling of [leaseId, `two/${leaseId}`, `../two/${leaseId}`, `/${leaseId}`]) {
      for (const [path, body] of [
        [operation, { lease_id: spelling }],
        [`${operation}/${spelling}`, {}],
      ] as const)
        await send('POST', path, { token: own.token, namespace: 'one', body })
      expect(await isAlive()).toBe(true)
    }
    expect((await send('POST', 'sys/leases/lookup', { namespace: 'two', body: { lease_id: leaseId } })).status).toBe(200)
  })

  it('does not receive the policies of another namespace for any spelling of a policy name (GHSA-mjch-vcw3-hhmf)', async () => {
    await send('POST', 'sys/policies/acl/everything', { body: { policy: ALL } })
    for (const policy of ['../everything', '/everything', 'root/everything', './../everything', 'one/../everything']) {
      const made = await send('POST', 'auth/token/create', { token: own.token, namespace: 'one', body: { policies: [policy] } })
      if (made.status !== 200) continue
      const token = made.body.auth?.client_token as string
      for (const namespace of ['', 'one', 'two'])
        expect((await send('GET', 'sys/policies/acl', { token, namespace })).status).toBe(403)
    }
  })

  it.each(['root', 'ROOT', 'sys', 'auth', 'identity', 'audit', 'cubbyhole', '.', '..'])(
    'cannot change another namespace through a child namespace named %s (GHSA-mwr2-wmgp-crj6)',
    async (name) => {
      const made = await send('POST', `sys/namespaces/${name}`, { token: own.token, namespace: 'one', body: {} })
      for (const namespace of [name, `one/${name}`, `${name}/one`, `one/${name}/..`]) {
        const written = await send('POST', 'sys/policies/acl/planted', {
          token: own.token,
          namespace,
          body: { policy: ALL },
        })
        expect([204, 400, 403, 404]).toContain(written.status)
      }
      if (made.status < 300) await send('DELETE', `sys/namespaces/${name}`, { token: own.token, namespace: 'one' })
      for (const namespace of ['', 'two']) expect((await send('GET', 'sys/policies/acl/planted', { namespace })).status).toBe(404)
    },
  )

  it('that is deleted, even twice, revokes its tokens and leases (GHSA-vv66-6rp4-wr4f)', async () => {
    await send('POST', 'sys/namespaces/short', { body: {} })
    const { token } = await administrator('short')
    await Promise.all([send('DELETE', 'sys/namespaces/short'), send('DELETE', 'sys/namespaces/short')])
    await kernel.tick()
    await send('DELETE', 'sys/namespaces/short')
    await send('POST', 'sys/namespaces/short', { body: {} })
    expect((await send('GET', 'auth/token/lookup-self', { token, namespace: 'short' })).status).toBe(403)
    expect((await send('LIST', 'sys/leases/lookup/auth/token/create', { namespace: 'short' })).status).toBe(404)
  })
})

describe('the root policy', () => {
  it.each(['ROOT', 'Root', ' root', 'root ', 'ＲＯＯＴ', 'rooT\u200b'])(
    'cannot be obtained under the spelling %j (CVE-2025-5999, CVE-2025-64761, CVE-2024-9180)',
    async (policy) => {
      const { token } = await administrator('')
      const made = await send('POST', 'auth/token/create', { token, body: { policies: [policy] } })
      if (made.status === 200) expect(made.body.auth?.policies).not.toContain('root')
      const role = await send('POST', 'auth/token/roles/r', { token, body: { allowed_policies: [policy] } })
      if (role.status === 204) {
        const byRole = await send('POST', 'auth/token/create/r', { token, body: { policies: [policy] } })
        if (byRole.status === 200) expect(byRole.body.auth?.policies).not.toContain('root')
      }
      await send('PUT', `sys/policies/acl/${encodeURIComponent(policy)}`, {
        token,
        body: { policy: 'path "none" { policy = "read" }' },
      })
      expect((await send('GET', 'sys/policies/acl/root')).body.data).not.toHaveProperty('policy', expect.stringContaining('none'))
      expect((await send('GET', 'sys/policies/acl/all')).status).toBe(200)
    },
  )
})

describe('transit', () => {
  it.each(['rsa-2048', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521'])(
    'refuses a derived key of type %s (GHSA-8w8f-r2xv-4q4j)',
    async (type) => {
      const { status } = await send('POST', `transit/keys/derived-${type}`, { body: { type, derived: true } })
      expect(status).toBe(400)
      expect((await send('GET', `transit/keys/derived-${type}`)).status).toBe(404)
    },
  )

  it('ignores a nonce of the caller if convergent encryption is off (CVE-2023-4680)', async () => {
    await send('POST', 'transit/keys/plain', { body: {} })
    await send('POST', 'transit/keys/derived', { body: { derived: true } })
    const plaintext = Buffer.from('text').toString('base64')
    for (const [name, context] of [
      ['plain', undefined],
      ['derived', plaintext],
    ] as const) {
      const body = { plaintext, context, nonce: Buffer.alloc(12).toString('base64') }
      const answers = await Promise.all([1, 2].map(() => send('POST', `transit/encrypt/${name}`, { body })))
      const made = answers.filter(({ status }) => status === 200).map(({ body: { data } }) => data?.['ciphertext'])
      expect(new Set(made).size).toBe(made.length)
      for (const text of made) expect(String(text)).not.toContain('AAAAAAAAAAAAAAAA')
    }
  })
})

describe('a request', () => {
  it.each(['ROLLBACK', 'REVOKE', 'RENEW', 'ALIAS_LOOKAHEAD', 'RESOLVE_ROLE', 'CONNECT', 'TRACE'])(
    'cannot call the internal operation %s (GHSA-rh46-vc3j-w2w3)',
    async (method) => {
      const { status, body } = await send(method, 'auth/token/create', { body: { policies: ['default'] } })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body?.auth).toBeUndefined()
    },
  )

  it.each(['.', '..', '%2e', '%2e%2e', '%2E%2e'])(
    'cannot reach another path through the segment %s (HCSEC-2026-05, CVE-2026-3605)',
    async (segment) => {
      await send('POST', 'sys/mounts/kv1', { body: { type: 'kv' } })
      await send('POST', 'kv1/secret', { body: { value: 1 } })
      await send('POST', 'sys/policies/acl/below', {
        body: { policy: 'path "kv1/open/*" { capabilities = ["create", "read", "update", "delete", "list"] }' },
      })
      const made = await send('POST', 'auth/token/create', { body: { policies: ['below'] } })
      const token = made.body.auth?.client_token as string
      for (const method of ['GET', 'DELETE', 'LIST'])
        for (const path of [`kv1/open/${segment}/secret`, `kv1/open/x/${segment}/${segment}/secret`, `kv1/open/${segment}`])
          expect((await send(method, path, { token })).status).toBeGreaterThanOrEqual(400)
      expect((await send('GET', 'kv1/secret')).status).toBe(200)
    },
  )

  it('is answered with JSON, never with HTML (CVE-2024-10086)', async () => {
    const page = '<script>alert(1)</script>'
    for (const [method, path] of [
      ['GET', `kv1/${encodeURIComponent(page)}`],
      ['GET', `no-such-mount/${encodeURIComponent(page)}`],
      ['POST', `sys/mounts/${encodeURIComponent(page)}`],
      [page, 'sys/health'],
    ] as const) {
      const { status, headers } = await kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': root } })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers).toMatchObject({ 'Content-Type': 'application/json' })
    }
  })

  it('that is malformed is answered without the values that it contains (CVE-2025-4166, CVE-2025-52893, GHSA-8xxq-mq9m-xmhw)', async () => {
    await send('POST', 'sys/mounts/kv2', { body: { type: 'kv', options: { version: '2' } } })
    const value = 'very-secret-value'
    for (const [path, body] of [
      ['kv2/data/x', { data: value }],
      ['kv2/data/x', { data: [value] }],
      ['kv2/data/x', { data: { a: value }, options: value }],
      ['kv2/data/x', { data: { a: value }, options: { cas: value } }],
      ['kv2/metadata/x', { custom_metadata: [value] }],
      ['kv2/metadata/x', { custom_metadata: { a: { b: value } } }],
      ['auth/token/create', { meta: [{ a: value }] }],
      ['auth/token/create', { meta: value }],
      ['sys/mounts/kv2/tune', { options: [value] }],
    ] as const) {
      const answer = await send('POST', path, { body })
      expect(JSON.stringify(answer.body ?? {})).not.toContain(value)
    }
  })
})

/** An auth method that requests a token and then fails. */
const failing = operation({
  kind: 'write',
  verb: 'POST',
  path: '/login',
  summary: 'Fails after it asked for a token.',
  unauthenticated: true,
  fields: {},
  returns: AUTH,
  wire: authWire,
  run(tx) {
    tx.login({ settings: NO_TOKEN_SETTINGS, alias: 'a', aliasMetadata: {}, metadata: {}, displayName: 'a', data: {} })
    throw invalid('the method fails after all')
  },
})

describe('a login', () => {
  it('leaves no token in the store if the auth method fails after requesting one (GHSA-7j6w-vvw2-5f9c)', async () => {
    const storage = memoryStorage()
    const failingMethod = engineValue<object>({
      type: 'failing',
      mounts: 'auth',
      operations: { failing },
      due: {},
      logins: { renew: () => ({ ttl: 0, maxTtl: 0, period: 0 }) },
      fresh: [{ path: 'auth/failing/', description: 'fails' }],
      facades: {},
    })
    const small = await createKernel({ engines: [failingMethod], storage, seal: keySeal(new Uint8Array(32)), initialize: true })
    try {
      const before = await storage.scan('')
      const { status, body } = (await small.handle({ method: 'POST', path: '/v1/auth/failing/login', body: {} })) as Answer
      expect(status).toBe(400)
      expect(body.auth).toBeUndefined()
      expect(await storage.scan('')).toEqual(before)
    } finally {
      await small.close()
    }
  })
})
