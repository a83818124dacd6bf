/** Dev servers on the loopback interface do not answer to names that a web page may have. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { serveKernel } from '../../src/server/index.ts'
import { devConfigServer, devServer } from '../../src/testing/index.ts'

/** The status of `path` for a request with this header `Host`. */
async function statusFor(address: string, path: string, host: string): Promise<number | undefined> {
  const sent = request(new URL(path, address), { headers: { host } }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

const LOCAL = ['localhost', 'LOCALHOST:8200', 'localhost.:8200', 'vault.localhost', '127.0.0.1:8200', '[::1]:8200', '10.0.0.7']
const CONTAINERS = ['host.docker.internal:8200', 'gateway.docker.internal', 'host.containers.internal']
const FOREIGN = [
  'evil.example',
  'evil.example:8200',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evillocalhost',
  'a@localhost',
]

it.each([...LOCAL, ...CONTAINERS])('a dev server answers to %s', async (host) => {
  await using server = await devServer()
  expect(await statusFor(server.getAddress(), '/v1/sys/health', host)).toBe(200)
})

it.each(FOREIGN)('a dev server does not answer to %j, neither the API nor a page', async (host) => {
  await using vault = await devServer({ ui: true, metrics: true })
  for (const path of ['/v1/sys/health', '/ui/', '/metrics', '/'])
    expect(await statusFor(vault.getAddress(), path, host)).toBe(403)
  await using consul = await devConfigServer()
  expect(await statusFor(consul.getAddress(), '/v1/acl/policies', host)).toBe(403)
})

it('a dev server answers to any name if it was given a host', async () => {
  await using server = await devServer({ host: '127.0.0.1' })
  expect(await statusFor(server.getAddress(), '/v1/sys/health', 'vault.test')).toBe(200)
})

it('the server of an application answers to any name', async () => {
  await using kernel = await createDevKernel()
  await using server = await serveKernel(kernel, { port: 0 })
  expect(await statusFor(server.address, '/v1/sys/health', 'secrets.example')).toBe(200)
})

it('requests without the header are answered: HTTP/1.0 has none, and browsers always send it', async () => {
  await using server = await devServer()
  const socket = connect(Number(new URL(server.getAddress()).port), '127.0.0.1')
  socket.end('GET /v1/sys/health HTTP/1.0\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})
