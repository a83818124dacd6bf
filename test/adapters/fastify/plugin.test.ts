/** The plugin in real Fastify servers. */
import { connect } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PluginOptions, strongroomPlugin } from '../../../src/adapters/fastify/index.ts'
import { type AuditEntry, createDevKernel, type Kernel, type TokenView } from '../../../src/index.ts'
import { converse, tcp } from '../../http/raw-client.mjs'

type WithKernel = FastifyRequest & { readonly kernel: TokenView }

const MIB = 1_048_576

let kernel: Kernel
let entries: AuditEntry[]
const apps: FastifyInstance[] = []

beforeEach(async () => {
  entries = []
  kernel = await createDevKernel({ ports: { audit: { sinks: { main: async (entry) => void entries.push(entry) } } } })
})
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
  await kernel.close()
})

/** Creates an application. Call `listen` after the routes are registered. */
function application(options: object = {}): FastifyInstance {
  const app = fastify({ forceCloseConnections: true, ...options }) as unknown as FastifyInstance
  apps.push(app)
  return app
}

async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

async function serve(options: Partial<PluginOptions> = {}, server: object = {}): Promise<string> {
  const app = application(server)
  await app.register(strongroomPlugin, { kernel, ...options })
  return listen(app)
}

const headers = () => ({ 'X-Service-Token': kernel.rootToken as string })

async function send(url: string, method = 'GET', body?: unknown, more: Record<string, string> = {}) {
  const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const answer = await fetch(url, { method, headers: { ...headers(), ...more }, ...init })
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined }
}

describe('the API of a Fastify application', () => {
  it('writes, reads, lists and deletes a secret', async () => {
    const url = await serve()
    expect((await send(`${url}/v1/secret/app`, 'POST', { a: '1' })).status).toBe(204)
    expect((await send(`${url}/v1/secret/app`)).body).toMatchObject({ data: { a: '1' } })
    expect((await send(`${url}/v1/secret/?list=true`)).body).toMatchObject({ data: { keys: ['app'] } })
    expect((await send(`${url}/v1/secret/app`, 'DELETE')).status).toBe(204)
    expect((await send(`${url}/v1/secret/app`)).status).toBe(404)
    expect((await send(`${url}/v1/sys/health`)).status).toBe(200)
    expect((await fetch(`${url}/v1/secret/app`)).status).toBe(403)
  })

  it('accepts bodies of every media type, and requests without a body', async () => {
    const url = await serve()
    const BODIES = { 'application/json': '{"a":"1"}', 'application/x-www-form-urlencoded': 'a=1', 'text/plain': '{"a":"1"}' }
    for (const [type, body] of Object.entries(BODIES)) {
      expect([type, (await send(`${url}/v1/secret/app`, 'PUT', body, { 'Content-Type': type })).status]).toEqual([type, 204])
      expect((await send(`${url}/v1/secret/app`)).body).toMatchObject({ data: { a: '1' } })
    }
    expect((await fetch(`${url}/v1/transit/keys/orders`, { method: 'POST', headers: headers() })).status).toBe(200)
    expect((await send(`${url}/v1/secret/app`, 'POST', '{"a":', { 'Content-Type': 'application/json' })).body).toEqual({
      errors: [expect.any(String)],
    })
  })

  it('accepts the verb LIST over HTTP/1.1 and over HTTP/2', async () => {
    await kernel.kv.writeSecret({ path: 'app', data: { a: '1' } })
    const plain = application()
    await plain.register(strongroomPlugin, { kernel })
    await listen(plain)
    const head = `LIST /v1/secret/ HTTP/1.1\r\nHost: a\r\nX-Service-Token: ${kernel.rootToken}\r\nConnection: close\r\n\r\n`
    const { answers } = await converse(tcp(plain.server as Server), [head])
    expect(answers.map(({ status, body }) => [status, JSON.parse(body).data])).toEqual([[200, { keys: ['app'] }]])

    const url = await serve({}, { http2: true })
    const session = connect(url)
    const stream = session.request({ ':method': 'LIST', ':path': '/v1/secret/', 'x-service-token': kernel.rootToken })
    let text = ''
    for await (const chunk of stream) text += chunk
    session.close()
    expect(JSON.parse(text).data).toEqual({ keys: ['app'] })
  })

  it('accepts a body above the body limit of Fastify, and refuses one above 32 MiB', async () => {
    const url = await serve({}, { bodyLimit: 1000 })
    const key = { name: 'orders' }
    await kernel.transit.createKey(key)
    const plaintext = Buffer.alloc(4 * MIB, 7).toString('base64')
    const { status, body } = await send(`${url}/v1/transit/encrypt/orders`, 'POST', { plaintext })
    expect(status).toBe(200)
    const ciphertext = (body?.['data'] as { readonly ciphertext?: string } | undefined)?.ciphertext ?? ''
    const back = await kernel.transit.decrypt({ ...key, ciphertext })
    expect(Buffer.from(back.plaintext).equals(Buffer.alloc(4 * MIB, 7))).toBe(true)
    const large = await fetch(`${url}/v1/transit/encrypt/orders`, {
      method: 'POST',
      headers: headers(),
      body: Buffer.alloc(33 * MIB),
    })
    expect(large.status).toBe(413)
    const anonymous = await fetch(`${url}/v1/transit/encrypt/orders`, { method: 'POST', body: Buffer.alloc(2 * MIB, ' ') })
    expect(anonymous.status).toBe(403)
  })

  it('is served below the prefix of the plugin and of the instance that registers it', async () => {
    await kernel.kv.writeSecret({ path: 'app', data: { a: '1' } })
    const app = application()
    await app.register(async (inner) => inner.register(strongroomPlugin, { kernel, prefix: '/kms' }), { prefix: '/api' })
    const url = await listen(app)
    expect((await send(`${url}/api/kms/v1/secret/app`)).body).toMatchObject({ data: { a: '1' } })
    for (const path of ['/v1/secret/app', '/api/v1/secret/app', '/kms/v1/secret/app']) {
      const answer = await send(url + path)
      expect([path, answer.status, answer.body?.['error']]).toEqual([path, 404, 'Not Found'])
    }
  })

  it('leaves the other routes of the application, and their bodies, to Fastify', async () => {
    const app = application()
    await app.register(strongroomPlugin, { kernel })
    app.post('/orders', async ({ body }) => ({ body }))
    const url = await listen(app)
    expect((await send(`${url}/orders`, 'POST', { a: 1 }, { 'Content-Type': 'application/json' })).body).toEqual({
      body: { a: 1 },
    })
    expect((await send(`${url}/none`)).body).toMatchObject({ error: 'Not Found' })
  })

  it('runs the hooks of the application before a request reaches the kernel', async () => {
    const app = application()
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-blocked']) await reply.code(401).send({ error: 'blocked' })
    })
    await app.register(strongroomPlugin, { kernel })
    const url = await listen(app)
    expect(await send(`${url}/v1/sys/health`, 'GET', undefined, { 'X-Blocked': '1' })).toEqual({
      status: 401,
      body: { error: 'blocked' },
    })
    expect((await send(`${url}/v1/sys/health`)).status).toBe(200)
  })

  it('answers requests that inject simulates', async () => {
    const app = application()
    await app.register(strongroomPlugin, { kernel })
    const written = await app.inject({ method: 'POST', url: '/v1/secret/app', headers: headers(), payload: { a: '1' } })
    expect(written.statusCode).toBe(204)
    expect((await app.inject({ url: '/v1/secret/app', headers: headers() })).json()).toMatchObject({ data: { a: '1' } })
  })

  it('takes the address of the caller from request.ip, so the option trustProxy decides', async () => {
    for (const trustProxy of [false, true]) {
      const url = await serve({}, { trustProxy })
      await send(`${url}/v1/secret/app`, 'GET', undefined, { 'X-Forwarded-For': '10.1.2.3' })
      expect(entries.at(-1)?.request.remote_address).toBe(trustProxy ? '10.1.2.3' : '127.0.0.1')
    }
  })
})

describe('the decorators of a Fastify application', () => {
  it('has the kernel on the instance, also outside of the plugin', async () => {
    const app = application()
    await app.register(strongroomPlugin, { kernel })
    expect((app as unknown as { readonly kernel: unknown }).kernel).toBe(kernel)
    expect(app.hasRequestDecorator('kernel')).toBe(false)
  })

  it('has a view of the request on the request, with the address and the id of the request in the audit log', async () => {
    await kernel.kv.writeSecret({ path: 'app', data: { a: '1' } })
    await kernel.policies.writePolicy({ name: 'app', policy: 'path "secret/app" { capabilities = ["read"] }' })
    const { client_token } = await kernel.tokens.createToken({ policies: ['app'] })
    const app = application({ genReqId: () => 'request-7' })
    await app.register(strongroomPlugin, { kernel, token: ({ headers }) => headers.authorization?.replace('Bearer ', '') })
    app.get('/secrets/:name', async (request) => {
      const { kernel: view } = request as WithKernel
      expect((request as WithKernel).kernel).toBe(view)
      return (await view.kv.readSecret({ path: (request.params as { name: string }).name })).data
    })
    const url = await listen(app)
    const get = (name: string, authorization: string) => send(`${url}/secrets/${name}`, 'GET', undefined, { authorization })
    expect(await get('app', `Bearer ${client_token}`)).toEqual({ status: 200, body: { a: '1' } })
    expect(entries.at(-1)?.request).toMatchObject({ id: 'request-7', remote_address: '127.0.0.1', path: 'secret/app' })
    expect((await get('other', `Bearer ${client_token}`)).status).toBe(403)
    expect((await get('app', 'Bearer wrong')).status).toBe(403)
    expect(await get('app', '')).toMatchObject({ status: 403, body: { code: 'ERR_PERMISSION_DENIED' } })
  })

  it('refuses invalid options when the plugin is registered', async () => {
    const refusal = async (options: object) => {
      const app = application()
      await app.register(strongroomPlugin, options as PluginOptions)
    }
    await expect(refusal({})).rejects.toThrow('strongroomPlugin: kernel must be a kernel')
    await expect(refusal({ kernel, token: 5 })).rejects.toThrow('token: must be a function')
    await expect(refusal({ kernel, prefix: 'kms' })).rejects.toThrow(TypeError)
    await expect(refusal({ kernel, maxBodyBytes: -1 })).rejects.toThrow('maxBodyBytes')
  })
})
