import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseHost } from '../../../src/adapters/orchestrator-kubernetes/api-server.ts'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { refusal, review, titled } from './asking.ts'

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews'

describe('the configured host of an API server', () => {
  it.each([
    ['api.example', 'https api.example 443', ''],
    ['API.example', 'https api.example 443', ''],
    ['api.example:6443', 'https api.example 6443', ''],
    ['api.example/', 'https api.example 443', ''],
    ['api.example:6443/k8s/clusters/c-1', 'https api.example 6443', '/k8s/clusters/c-1'],
    ['https://api.example', 'https api.example 443', ''],
    ['HTTPS://api.example/', 'https api.example 443', ''],
    ['https://api.example:6443/', 'https api.example 6443', ''],
    ['https://api.example/proxy', 'https api.example 443', '/proxy'],
    ['https://api.example/proxy/', 'https api.example 443', '/proxy'],
    ['https://api.example/proxy//', 'https api.example 443', '/proxy/'],
    ['https://api.example/a@b:c', 'https api.example 443', '/a@b:c'],
    [' https://api.example\n', 'https api.example 443', ''],
    ['http://127.0.0.1:8001', 'http 127.0.0.1 8001', ''],
    ['http://localhost', 'http localhost 80', ''],
    ['kubernetes.default.svc', 'https kubernetes.default.svc 443', ''],
    ['10.0.0.1', 'https 10.0.0.1 443', ''],
    ['fd00::1', 'https fd00::1 443', ''],
    ['fd00::1/proxy', 'https fd00::1 443', '/proxy'],
    ['[fd00::1]', 'https fd00::1 443', ''],
    ['[fd00::1]:6443', 'https fd00::1 6443', ''],
    ['https://[fd00::1]:6443/proxy/', 'https fd00::1 6443', '/proxy'],
    ['https://fd00::1', 'https fd00::1 443', ''],
  ])('is parsed when given as %j', (host, where, before) => {
    const { secure, hostname, port, path } = parseHost(host)
    expect([`${secure ? 'https' : 'http'} ${hostname} ${port}`, path]).toEqual([where, before + PATH])
  })

  it.each(
    titled([
      '',
      ' ',
      '/',
      'https://',
      'https:///path',
      ':443',
      'api.example:',
      'api.example:port',
      'api.example:99999',
      'ftp://api.example',
      'unix:///var/run/api.sock',
      'file:///etc/passwd',
      'http:/api.example',
      'https:api.example',
      'javascript:alert(1)',
      'https://https://api.example',
      'https://admin:password@api.example',
      'admin@api.example',
      'https://@api.example',
      'https://api.example?timeout=1',
      'https://api.example/?',
      'https://api.example/#',
      'api.example#part',
      'https://api.example\\@elsewhere.example',
      'api example',
      'api.example/a b',
      'api.exa\nmple',
      'https://api.example/\r\nX-Injected: 1',
      'api.example\u0000',
      'https://[fd00::1',
      '[fd00::1%25eth0]',
      'https://a..b:x',
      'a%00b',
      '\ud800',
      `https://${'a'.repeat(100_000)}:x`,
    ]),
  )('is refused when given as %j', async (_, host) => {
    const error = await refusal(review(kubernetesTokenReviewer(), { host }), 'transport')
    expect(error.message).toMatch(/^token review: the configured host of the API server is invalid: [a-z:, ]+$/i)
  })

  it('can have a path, which is inserted before the path of the API', async () => {
    await using api = await startTokenReviewApi()
    const answers = [`${api.url}/refuse`, `${api.url}/refuse/`].map((host) => review(kubernetesTokenReviewer(), { host }))
    expect((await Promise.all(answers)).map(({ authenticated }) => authenticated)).toEqual([false, false])
    expect(api.requests.map(({ path }) => path)).toEqual([`/refuse${PATH}`, `/refuse${PATH}`])
  })

  it('can be an IPv6 address', async (context) => {
    const server = await onLoopback6()
    if (!server) return context.skip('this machine has no IPv6 loopback address')
    const { port } = server.address() as AddressInfo
    expect(await review(kubernetesTokenReviewer(), { host: `http://[::1]:${port}` })).toEqual({ authenticated: false })
    server.close()
  })
})

async function onLoopback6(): Promise<Server | undefined> {
  const server = createServer((request, response) => {
    request.resume()
    response.end('{"kind":"Status","status":"Success"}')
  })
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(0, '::1', () => resolve(server))
  })
}
