/**
 * Bodies of more than 1 MiB, whose token is checked first, and the memory that all bodies of a handler share.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FetchOptions, fetchHandler, type ListenerOptions, requestListener } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

const MIB = 1 << 20
const entries: string[] = []

let kernel: Kernel
let stop: () => void
let port: number
beforeEach(async () => {
  kernel = await createDevKernel({ ports: { audit: { sinks: { log: ({ line }) => void entries.push(line) } } } })
  entries.length = 0
})
afterEach(async () => {
  stop?.()
  await kernel.close()
})

async function serve(options: ListenerOptions = {}): Promise<void> {
  const server = createServer(requestListener(kernel, options))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
}

interface Sending {
  readonly path?: string
  readonly token?: string | undefined
  /** Sent as the declared length. Without it the body is sent in chunks. */
  readonly length?: number
}

class Client {
  readonly #socket: Socket
  #text = ''

  constructor({ path = '/v1/secret/data/a', token, length }: Sending) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (chunk: Buffer) => (this.#text += chunk.toString('latin1'))).on('error', () => {})
    const size = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
    const bearer = token ? `X-Service-Token: ${token}\r\n` : ''
    this.#socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\n${bearer}${size}\r\n\r\n`)
  }

  send(bytes: Uint8Array | string, chunked = false): this {
    if (chunked) this.#socket.write(`${bytes.length.toString(16)}\r\n`)
    this.#socket.write(bytes)
    if (chunked) this.#socket.write('\r\n')
    return this
  }

  /** The head of the answer. */
  async answer(): Promise<string> {
    while (!this.#text.includes('\r\n\r\n')) await once(this.#socket, 'data')
    return this.#text.slice(0, this.#text.indexOf('\r\n\r\n'))
  }

  async status(): Promise<number> {
    return Number((await this.answer()).slice(9, 12))
  }

  leave(): void {
    this.#socket.destroy()
  }
}

const letter = (length: number): string => JSON.stringify({ data: { a: 'x'.repeat(length) } })

describe('a body of more than 1 MiB', () => {
  it.each([
    ['an invalid token', '/v1/secret/data/a', 'nobody', 403],
    ['no token', '/v1/secret/data/a', undefined, 403],
    ['a path that needs no token', '/v1/sys/wrapping/lookup', undefined, 413],
    ['a path that is also served while sealed', '/v1/sys/unseal', undefined, 413],
  ])('is refused before it has arrived with %s', async (_, path, token, status) => {
    await serve()
    const sized = new Client({ path, token, length: 20 * MIB })
    expect(await sized.status()).toBe(status)
    const chunks = new Client({ path, token }).send('x'.repeat(MIB + 1), true)
    expect(await chunks.status()).toBe(status)
    for (const client of [sized, chunks]) client.leave()
  })

  it('is accepted with a valid token, whether its length is declared or it is sent in chunks', async () => {
    await serve()
    const text = letter(3 * MIB)
    const token = kernel.rootToken
    const path = '/v1/secret/data/a'
    const sized = new Client({ path, token, length: text.length }).send(text)
    const chunks = new Client({ path, token }).send(text, true).send('', true)
    expect([await sized.status(), await chunks.status()]).toEqual([204, 204])
    for (const client of [sized, chunks]) client.leave()
  })

  it('is refused by fetchHandler with an invalid token or above the limit, before all of it has arrived', async () => {
    const handler = fetchHandler(kernel)
    let pulled = 0
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled++
          controller.enqueue(new Uint8Array(MIB / 2).fill(0x20))
          if (pulled > 60) controller.close()
        },
      })
    const ask = (path: string, headers: Record<string, string>) =>
      handler(new Request(`http://h${path}`, { method: 'POST', headers, body: body(), duplex: 'half' } as RequestInit))
    expect((await ask('/v1/secret/data/a', { 'X-Service-Token': 'nobody' })).status).toBe(403)
    expect((await ask('/v1/sys/unseal', { 'Content-Length': String(20 * MIB) })).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })

  it('is parsed after the token was checked, unlike a shorter body', async () => {
    const post = (body: string, token: string | undefined) =>
      kernel.handle({
        method: 'POST',
        path: '/v1/secret/data/a',
        headers: token ? { 'X-Service-Token': token } : {},
        body: Buffer.from(body),
      })
    const [short, long] = ['!'.repeat(MIB), '!'.repeat(MIB + 1)]
    const token = kernel.rootToken
    expect((await post(short, undefined)).status).toBe(400)
    expect((await post(long, undefined)).status).toBe(403)
    expect((await post(long, 'nobody')).status).toBe(403)
    expect((await post(long, token)).status).toBe(400)
    expect((await post('x'.repeat(33_554_433), undefined)).status).toBe(413)
  })

  it('causes an audit entry if precheck refuses its token', async () => {
    const headers = { 'X-Service-Token': 'nobody' }
    entries.length = 0
    const refused = await kernel.precheck({ method: 'POST', path: '/v1/secret/data/a', headers })
    expect(refused?.status).toBe(403)
    const [requestEntry, answered] = entries.map((line) => JSON.parse(line) as Record<string, never>)
    expect(entries).toHaveLength(2)
    expect(requestEntry).toMatchObject({ type: 'request', request: { path: 'secret/data/a', operation: 'update' } })
    expect(answered).toMatchObject({ type: 'response', error: expect.stringContaining('permission denied') as string })
  })

  it('does not cost a use of the token in precheck', async () => {
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['root'], num_uses: 1 })
    const headers = { 'X-Service-Token': token }
    const request = { method: 'POST', path: '/v1/secret/data/a', headers }
    expect(await kernel.precheck(request)).toBeUndefined()
    expect(await kernel.precheck(request)).toBeUndefined()
    expect((await kernel.handle({ ...request, body: Buffer.from(letter(2 * MIB)) })).status).toBe(204)
    expect((await kernel.precheck(request))?.status).toBe(403)
  })
})

describe('the body budget', () => {
  it('refuses bodies to a listener with 503 and Retry-After while slow callers have used it up', async () => {
    await serve({ maxBodyBytes: 2 * MIB })
    const token = kernel.rootToken
    const path = '/v1/secret/data/a'
    const slow = [new Client({ path, token, length: 4 * MIB }), new Client({ path, token })]
    slow[0]?.send(' '.repeat(MIB))
    slow[1]?.send(' '.repeat(MIB - 100), true)
    const text = letter(200)
    const post = async () => {
      const client = new Client({ path, token, length: text.length }).send(text)
      const answer = await client.answer()
      client.leave()
      return answer
    }
    // Until the server has read the sent bytes.
    let answer = await post()
    while (!answer.includes(' 503 ')) answer = await post()
    expect(answer).toMatch(/\r\nRetry-After: 1\r\n/)
    for (const client of slow) client.leave()
    while (answer.includes(' 503 ')) answer = await post()
    expect(answer).toContain(' 204 ')
  })

  it('refuses bodies to a fetch handler with 503 and Retry-After while an earlier body has used it up', async () => {
    const handler = fetchHandler(kernel, { maxBodyBytes: MIB })
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const post = (body: unknown) =>
      handler(new Request('http://h/v1/secret/data/a', { method: 'POST', headers, body, duplex: 'half' } as RequestInit))
    let go = () => {}
    const going = new Promise<void>((resolve) => (go = resolve))
    const slow = post(
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(new Uint8Array(MIB - 100).fill(0x20))
          await going
          controller.enqueue(Buffer.from('{"data":{}}'))
          controller.close()
        },
      }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    const refused = await post(letter(200))
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
    go()
    expect((await slow).status).toBe(204)
    expect((await post(letter(200))).status).toBe(204)
  })

  it.each([0, -1, 1.5, Number.NaN, '1'])('is refused as %s', (maxBodyBytes) => {
    expect(() => requestListener(kernel, { maxBodyBytes } as ListenerOptions)).toThrow(TypeError)
    expect(() => fetchHandler(kernel, { maxBodyBytes } as FetchOptions)).toThrow(TypeError)
  })
})
