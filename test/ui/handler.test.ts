/** The handler of the operator's page, as HTTP. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { openHttpServer } from '../../src/server/http-server.ts'
import { fakeDatabasePlugin } from '../../src/testing/index.ts'
import { AuditTail, operatorSources, PAGE_FILES, uiHandler } from '../../src/ui/index.ts'
import { converse } from '../http/raw-client.mjs'
import { selfSigned } from '../http/self-signed.ts'
import { NAMING, type PageServer, servePage } from './page-server.ts'

let kernel: Kernel
let server: PageServer
const tail = new AuditTail()

beforeAll(async () => {
  const plugin = fakeDatabasePlugin()
  kernel = await createDevKernel({
    naming: NAMING,
    ports: { databases: { fake: plugin }, audit: { sinks: { log: tail.around({ write() {} }) } } },
  })
  server = await servePage(kernel, operatorSources(kernel, { headerPrefix: 'X-Vault', auditTail: tail }))
})
afterAll(async () => {
  await server.close()
  await kernel.close()
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(new URL(path, server.url), { method, headers, redirect: 'manual' })

const source = async (path: string, token?: string) => {
  const response = await get(path, token === undefined ? {} : { 'X-Vault-Token': token })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const tokenWith = async (name: string, policy: string): Promise<string> => {
  await kernel.policies.writePolicy({ name, policy })
  return (await kernel.tokens.createToken({ policies: ['default', name], ttl: 3600 })).client_token
}

describe('the files of the page', () => {
  it('are exactly the files of the folder', () => {
    const folder = join(import.meta.dirname, '../../src/ui/page')
    const found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      )
    expect(found.sort()).toEqual([...PAGE_FILES].sort())
  })

  it.each(['', ...PAGE_FILES])('have strict headers: /ui/%s', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(rule)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
      'content-type': expect.stringMatching(/^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/),
    })
    expect((await response.text()).length).toBeGreaterThan(0)
  })

  it('are sent again only if they have changed', async () => {
    const etag = (await get('app.js')).headers.get('ETag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const response = await get('app.js', { 'If-None-Match': etag })
    expect([response.status, await response.text()]).toEqual([304, ''])
  })

  it('are answered to HEAD without a body', async () => {
    const response = await get('app.js', {}, 'HEAD')
    expect(Number(response.headers.get('Content-Length'))).toBeGreaterThan(1000)
    expect(await response.text()).toBe('')
  })

  it('refer to no other origin', async () => {
    for (const path of PAGE_FILES) {
      const text = (await (await get(path)).text()).replaceAll('http://www.w3.org/2000/svg', '')
      expect(text, path).not.toMatch(/https?:|\/\/[a-z]|innerHTML|insertAdjacentHTML|document\.write|eval\(/)
    }
  })
})

describe('other requests below /ui', () => {
  it('redirects /ui to /ui/, below any prefix of a proxy', async () => {
    const response = await get('/ui')
    expect([response.status, response.headers.get('Location')]).toEqual([308, 'ui/'])
  })

  it.each(['/ui/none', '/ui/views/', '/ui/views', '/ui/page-files.ts', '/ui/ui-handler.js', '/ui//index.html', '/ui/INDEX.HTML'])(
    'answers 404 to %s',
    async (path) => {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    },
  )

  it.each([
    '/ui/../package.json',
    '/ui/%2e%2e/index.ts',
    '/ui/..%2findex.ts',
    '/ui/views/../../index.ts',
    '/ui/%00',
    '/ui/constructor',
  ])('reads no other file for the raw path %s', async (path) => {
    const { port } = new URL(server.url)
    const request = `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`
    const { answers } = await converse(() => connectSocket(Number(port), '127.0.0.1'), [request], { answerCount: 1 })
    expect(answers[0]?.status).toBe(404)
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const response = await get('', {}, method)
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('sends the page only the prefix of the headers and the names of the sources', async () => {
    const response = await get('config.json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.json()).toEqual({ headerPrefix: 'X-Vault', sources: ['status', 'leases', 'audit'] })
  })
})

describe('the sources', () => {
  it.each(['status', 'leases', 'audit'])('refuse a visitor without a valid token: %s', async (name) => {
    expect((await source(`${name}.json`)).status).toBe(403)
    expect((await source(`${name}.json`, 's.wrong')).status).toBe(403)
    expect((await source(`${name}.json`, await tokenWith('nothing', 'path "secret/x" { capabilities = ["read"] }'))).status).toBe(
      403,
    )
  })

  it('show the status to a token with read on sys/status', async () => {
    const token = await tokenWith('status', 'path "sys/status" { capabilities = ["read"] }')
    const { status, body } = await source('status.json', token)
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'open', cache: { keys: {} }, due: expect.any(Array), failed: [] })
    expect((await source('leases.json', token)).status).toBe(403)
  })

  it('show the last audit entries only with sudo on sys/audit', async () => {
    const path = 'path "sys/audit" { capabilities = '
    expect((await source('audit.json', await tokenWith('reader', `${path}["read"] }`))).status).toBe(403)
    const token = await tokenWith('auditor', `${path}["read", "sudo"] }`)
    await fetch(new URL('/v1/secret/denied', server.url), { headers: { 'X-Vault-Token': token } })
    const { status, body } = await source('audit.json', token)
    expect(status).toBe(200)
    expect((body['entries'] as object[]).slice(0, 2)).toMatchObject([
      { operation: 'update', path: 'sys/capabilities-self', error: '' },
      { operation: 'read', path: 'secret/denied', error: expect.stringContaining('permission denied') },
    ])
    expect(JSON.stringify(body)).not.toContain(token)
  })

  it('list leases by expiry in pages of 100', async () => {
    const { database } = kernel
    const login = { username: 'root', password: 'root-password' }
    await database.writeConnection({ name: 'db', plugin_name: 'fake', connection_url: 'fake:', allowed_roles: ['*'], ...login })
    for (const [name, ttl] of [
      ['slow', 7200],
      ['fast', 600],
    ] as const)
      await database.writeRole({ name, db_name: 'db', creation_statements: ['CREATE'], default_ttl: ttl, max_ttl: 86_400 })
    for (let number = 0; number < 130; number++) await database.creds({ name: number % 13 === 0 ? 'fast' : 'slow' })
    const token = await tokenWith('leases', 'path "sys/leases/lookup/" { capabilities = ["list", "sudo"] }')
    const first = (await source('leases.json', token)).body as {
      leases: { lease_id: string; expire_time: string }[]
      next: string
    }
    const rest = (await source(`leases.json?after=${encodeURIComponent(first.next)}`, token)).body as typeof first
    const all = [...first.leases, ...rest.leases]
    expect([first.leases.length, rest.leases.length, rest.next]).toEqual([100, 30, undefined])
    expect(all.slice(0, 10).every(({ lease_id: id }) => id.startsWith('database/creds/fast/'))).toBe(true)
    expect(new Set(all.map(({ lease_id: id }) => id)).size).toBe(130)
    const times = all.map(({ expire_time: at }) => at)
    expect(times).toEqual([...times].sort())
    expect((await source('leases.json?after=%00..', token)).status).toBe(200)
    expect((await source(`leases.json?after=${'a'.repeat(5000)}`, token)).status).toBe(400)
  })

  it('count as a use of the token', async () => {
    await kernel.policies.writePolicy({ name: 'once', policy: 'path "sys/status" { capabilities = ["read"] }' })
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['default', 'once'], ttl: 3600, num_uses: 1 })
    expect((await source('status.json', token)).status).toBe(200)
    expect((await source('status.json', token)).status).toBe(403)
  })

  it('answer 503 if the kernel is sealed', async () => {
    const own = await createDevKernel({ naming: NAMING })
    const token = own.rootToken as string
    const served = await servePage(own)
    await own.seal.seal()
    for (const name of ['status', 'leases']) {
      const response = await fetch(new URL(`${name}.json`, served.url), { headers: { 'X-Vault-Token': token } })
      expect(response.status).toBe(503)
    }
    await served.close()
    await own.close()
  })

  it('answer 500 without the error of a source that fails', async () => {
    const served = await servePage(kernel, { status: () => Promise.reject(new Error('a secret')) })
    const response = await fetch(new URL('status.json', served.url))
    expect([response.status, await response.json()]).toEqual([500, { errors: ['internal error'] }])
    await served.close()
  })
})

it('answers over TLS with HTTP/2', async () => {
  const ui = uiHandler({ headerPrefix: 'X-Vault', sources: operatorSources(kernel, { headerPrefix: 'X-Vault' }) })
  const secure = await openHttpServer('test', kernel, { port: 0, tls: selfSigned() }, { pages: { ui } })
  const session = connect(secure.address, { rejectUnauthorized: false })
  const answered = async (path: string): Promise<readonly [unknown, string]> => {
    const stream = session.request({ ':path': path, 'x-vault-token': kernel.rootToken as string })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    let text = ''
    for await (const chunk of stream) text += chunk
    return [headers[':status'], text]
  }
  expect(await answered('/ui/')).toEqual([200, expect.stringContaining('<!doctype html>')])
  expect(await answered('/ui/status.json')).toEqual([200, expect.stringContaining('"state":"open"')])
  session.close()
  await secure.stop()
})

describe('the audit tail', () => {
  it('remembers no entry that its sink has refused, and lets the kernel refuse the request', async () => {
    const own = new AuditTail()
    let isFull = false
    const sink = own.around({
      async write() {
        if (isFull) throw new Error('disk full')
      },
    })
    const audited = await createDevKernel({ ports: { audit: { sinks: { log: sink } } } })
    await audited.transit.createKey({ name: 'first' })
    const before = own.recent().length
    isFull = true
    await expect(audited.transit.createKey({ name: 'second' })).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    expect(own.recent()).toHaveLength(before)
    expect(own.recent()[0]).toMatchObject({ path: 'transit/keys/first', caller: 'app', error: '' })
    await audited.close()
  })

  it('has at most 200 entries, the newest first', async () => {
    const own = new AuditTail()
    const audited = await createDevKernel({ ports: { audit: { sinks: { log: own.around({ write() {}, writeSync() {} }) } } } })
    for (let number = 0; number < 500; number++) await audited.kv.writeSecret({ path: `s${number}`, data: { number } })
    expect(own.recent()).toHaveLength(200)
    expect(own.recent()[0]?.path).toBe('secret/s499')
    await audited.close()
  })
})

it('refuses unknown options and an invalid prefix', () => {
  expect(() => uiHandler({ prefix: 'X' } as object)).toThrow('uiHandler: unknown option prefix')
  expect(() => uiHandler({ headerPrefix: 'X Vault' })).toThrow('uiHandler: headerPrefix must consist of')
})
