/** `serveKernel()`: listening, TLS with both versions of HTTP, and stopping. */
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { AuditTail, serveKernel } from '../../src/server/index.ts'
import { devServer } from '../../src/testing/index.ts'
import { selfSigned } from '../http/self-signed.ts'

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

describe('a server', () => {
  it('serves the API, and answers 404 for every other path', async () => {
    await using server = await serveKernel(kernel, { port: 0 })
    expect((await fetch(`${server.address}/v1/sys/health`)).status).toBe(200)
    for (const path of ['', '/', '/ui', '/ui/', '/metrics', '/v2/sys/health'])
      expect((await fetch(`${server.address}${path}`)).status, path).toBe(404)
  })

  it('accepts the verb LIST', async () => {
    await using server = await serveKernel(kernel, { port: 0 })
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    expect((await fetch(`${server.address}/v1/transit/keys`, { method: 'LIST', headers })).status).toBe(404)
    await kernel.transit.createKey({ name: 'k' })
    const answer = await fetch(`${server.address}/v1/transit/keys`, { method: 'LIST', headers })
    expect(await answer.json()).toMatchObject({ data: { keys: ['k'] } })
  })

  it('serves HTTP/1.1 and HTTP/2 with a certificate', async () => {
    const tls = selfSigned()
    await using server = await serveKernel(kernel, { port: 0, tls })
    const { port } = new URL(server.address)
    const status = await new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path: '/v1/sys/health', rejectUnauthorized: false }
      httpsRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
    const session = connectHttp2(server.address, { rejectUnauthorized: false })
    const overHttp2 = await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':path': '/v1/sys/health' })
      stream.on('error', reject).on('response', (headers) => resolve(headers[':status']))
      stream.resume().end()
    })
    expect(overHttp2).toBe(200)
    // The open session must not prevent the server from stopping.
  })

  it('stops although connections are idle or have sent half a request', async () => {
    const server = await serveKernel(kernel, { port: 0 })
    const { port } = new URL(server.address)
    const sockets = await Promise.all(
      ['', 'GET /v1/sys/health HTTP/1.1\r\n'].map(
        (text) =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(Number(port), '127.0.0.1', () => socket.write(text, () => resolve(socket)))
            socket.on('error', () => {})
          }),
      ),
    )
    await Promise.all([server.stop(), server.stop()])
    await expect(fetch(`${server.address}/v1/sys/health`)).rejects.toThrow()
    for (const socket of sockets) socket.destroy()
  })

  it('answers a request that is in flight when it stops', async () => {
    let release = (): void => {}
    const waiting = new Promise<void>((resolve) => {
      release = resolve
    })
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const handle = async () => {
      begin()
      await waiting
      return { status: 200, headers: {}, body: { done: true } }
    }
    const server = await serveKernel({ handle }, { port: 0 })
    const answer = fetch(`${server.address}/v1/a`)
    await begun
    const stopped = server.stop()
    release()
    expect(await (await answer).json()).toEqual({ done: true })
    await stopped
  })

  it('refuses invalid options', async () => {
    const wrong = [
      { port: -1 },
      { port: 65_536 },
      { port: '1' },
      { host: '' },
      { host: 5 },
      { tls: { key: 'a' } },
      { unknown: 1 },
    ]
    for (const options of wrong) {
      const opened = serveKernel(kernel, options as object)
      await expect(opened, JSON.stringify(options)).rejects.toThrow()
    }
  })
})

describe('the pages of a server', () => {
  it('are the page of operators and the metrics, if they are requested', async () => {
    await using server = await serveKernel(kernel, { port: 0, ui: true, metrics: true })
    const home = await fetch(`${server.address}/`)
    expect(home.url).toBe(`${server.address}/ui/`)
    expect(home.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await (await fetch(`${server.address}/ui/config.json`)).json()).toMatchObject({ headerPrefix: 'X-Service' })
    const metrics = await fetch(`${server.address}/metrics`)
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await metrics.text()).toContain('strongroom_kernel_state{state="open"} 1\n')
    expect((await fetch(`${server.address}/metrics/a`)).status).toBe(404)
    expect((await fetch(`${server.address}/metrics`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${server.address}/v1/sys/health`)).status).toBe(200)
  })

  it('show the last entries of an audit sink to a visitor who may read the audit devices', async () => {
    const auditTail = new AuditTail()
    const sink = auditTail.around({ write: () => {} })
    await using audited = await createDevKernel({ ports: { audit: { sinks: { memory: sink } } } })
    await using server = await serveKernel(audited, { port: 0, ui: true, auditTail })
    await audited.kv.writeSecret({ path: 'a', data: { b: 'secret value' } })
    const headers = { 'X-Service-Token': audited.rootToken as string }
    const text = await (await fetch(`${server.address}/ui/audit.json`, { headers })).text()
    expect(text).toContain('secret/a')
    expect(text).not.toContain('secret value')
    expect((await fetch(`${server.address}/ui/audit.json`)).status).toBe(403)
  })

  it('are those of the new kernel after a dev server was reset', async () => {
    await using vault = await devServer({ ui: true, metrics: true })
    const headers = { 'X-Vault-Token': 'root' }
    const read = async (path: string) => (await fetch(`${vault.getAddress()}${path}`, { headers })).text()
    await vault.reset()
    expect(JSON.parse(await read('/ui/status.json'))).toMatchObject({ state: 'open' })
    expect(await read('/metrics')).toContain('strongroom_kernel_state{state="open"} 1\n')
  })
})
