/**
 * LIST on servers of Node, as bytes on plain sockets, over TLS and over HTTP/2. `on-node.mjs` runs the plain cases on other releases.
 */
import { once } from 'node:events'
import { createServer as createHttp1 } from 'node:http'
import { connect, createServer as createHttp2, createSecureServer } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptList, requestListener } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { LIST_CASES } from './list-cases.mjs'
import { converse } from './raw-client.mjs'
import { selfSigned } from './self-signed.ts'

describe('LIST over plain sockets', () => {
  /** These cases only wait, for timeouts or between packets, so they run concurrently. */
  const waits = ([name]: readonly [string, unknown]) => /in its time|byte by byte|one after the other/.test(name)
  const cases = Object.entries(LIST_CASES)
  it.concurrent.each(cases.filter(waits))('%s', (_, run) => run(acceptList))
  it.each(cases.filter((testCase) => !waits(testCase)))('%s', (_, run) => run(acceptList))
})

let kernel: Kernel
let token: string

beforeAll(async () => {
  kernel = await createDevKernel()
  token = kernel.rootToken as string
  for (const path of ['app/a', 'app/b', 'c']) await kernel.kv.writeSecret({ path, data: { of: path } })
})
afterAll(() => kernel.close())

async function listening<S extends Server>(server: S): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const request = (verb: string, path: string) => `${verb} ${path} HTTP/1.1\r\nHost: h\r\nX-Service-Token: ${token}\r\n\r\n`
const keysOf = (body: string) => (JSON.parse(body) as { data: { keys: string[] } }).data.keys

describe('LIST to a kernel', () => {
  it('is answered over TLS, even if the verb is divided between TLS records', async () => {
    const server = acceptList(createHttps(selfSigned(), requestListener(kernel)))
    const port = await listening(server)
    const tls = () => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const text = request('GET', '/v1/secret/c') + request('LIST', '/v1/secret') + request('LIST', '/v1/secret/app')
    for (const packets of [[text], [text.slice(0, -58), text.slice(-58)], text.split(/(?<=\n|T)/)]) {
      const { answers, closed } = await converse(tls, packets, { answerCount: 3 })
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(keysOf(answers[1]?.body ?? '')).toEqual(['app/', 'c'])
      expect(keysOf(answers[2]?.body ?? '')).toEqual(['a', 'b'])
      expect(closed).toBe(false)
    }
    server.closeAllConnections()
    server.close()
  })

  it('is answered over HTTP/2 as any other verb', async () => {
    const plain = acceptList(createHttp2(requestListener(kernel)))
    const secure = acceptList(createSecureServer({ ...selfSigned(), allowHTTP1: true }, requestListener(kernel)))
    const origins = [`http://127.0.0.1:${await listening(plain)}`, `https://127.0.0.1:${await listening(secure)}`]
    for (const origin of origins) {
      const client = connect(origin, { rejectUnauthorized: false })
      for (const path of ['/v1/secret/app', '/v1/secret/app?list=false', '/v1/secret/app/']) {
        const stream = client.request({ ':method': 'LIST', ':path': path, 'x-service-token': token })
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
        let body = ''
        for await (const chunk of stream) body += chunk
        expect(headers[':status']).toBe(200)
        expect(keysOf(body)).toEqual(['a', 'b'])
      }
      client.close()
    }
    plain.close()
    secure.close()
  })

  it('is answered over HTTP/1.1 by a server that also accepts HTTP/2', async () => {
    const server = acceptList(createSecureServer({ ...selfSigned(), allowHTTP1: true }, requestListener(kernel)))
    const port = await listening(server)
    const tls = () => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    const { answers } = await converse(tls, [request('LIST', '/v1/secret') + request('LIST', '/v1/secret/app')], {
      answerCount: 2,
    })
    expect(answers.map(({ body }) => keysOf(body))).toEqual([
      ['app/', 'c'],
      ['a', 'b'],
    ])
    server.close()
  })

  it('is refused with status 400 by a server without acceptList', async () => {
    const server = createHttp1(requestListener(kernel))
    const port = await listening(server)
    const { tcp } = await import('./raw-client.mjs')
    const { answers, closed } = await converse(tcp(server), [request('LIST', '/v1/secret')])
    expect(port).toBeGreaterThan(0)
    expect([answers[0]?.status, closed]).toEqual([400, true])
    server.close()
  })
})
