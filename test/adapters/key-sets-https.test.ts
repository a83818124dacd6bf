import { createServer as createPlainServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { httpsKeySets } from '../../src/adapters/key-sets-https/index.ts'
import { authority, type CertificateWishes } from './orchestrator-kubernetes/authorities.ts'

const ca = authority('idp-ca')
const otherAuthority = authority('another-ca')
const KEYS = '{"keys":[]}'

const open: Server[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

/** The port of a server that listens on the loopback interface. */
async function listen(server: Server): Promise<number> {
  open.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const serve = (tls: ServerOptions): Promise<number> =>
  listen(createServer(tls, (_, response) => response.end(KEYS)) as unknown as Server)

const never = new AbortController().signal

const fetchFrom = (url: string, caCert: string | null = null, timeoutMs = 60_000, signal = never) =>
  httpsKeySets({ timeoutMs }).fetch({ url, caCert }, signal)

describe('httpsKeySets', () => {
  it('trusts a server whose certificate is the given certificate or is issued by the given authority', async () => {
    const issued = ca.issue()
    const port = await serve(issued)
    expect(await fetchFrom(`https://127.0.0.1:${port}/keys`, ca.cert)).toBe(KEYS)
    expect(await fetchFrom(`https://127.0.0.1:${port}/keys`, issued.cert)).toBe(KEYS)
    expect(await fetchFrom(`https://localhost:${port}/keys`, `${otherAuthority.cert}${ca.cert}`)).toBe(KEYS)
  })

  it.each<[string, CertificateWishes, string | null]>([
    ['comes from another authority', {}, otherAuthority.cert],
    ['comes from an authority that the platform does not know', {}, null],
    ['names another host', { names: ['DNS:elsewhere.example'] }, ca.cert],
    ['has expired', { days: [-2, -1] }, ca.cert],
    ['is that of a client', { purpose: 'client' }, ca.cert],
  ])('refuses a server whose certificate %s', async (_, wishes, caCert) => {
    const port = await serve(ca.issue(wishes))
    await expect(fetchFrom(`https://127.0.0.1:${port}/keys`, caCert)).rejects.toThrow()
  })

  it('refuses a server that speaks TLS 1.1', async () => {
    const port = await serve({ ...ca.issue(), minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
    await expect(fetchFrom(`https://127.0.0.1:${port}/keys`, ca.cert)).rejects.toThrow()
  })

  it('ends a request to a server that never answers at its time limit or when its signal is aborted', async () => {
    const port = await listen(createRawServer(() => {}))
    await expect(fetchFrom(`http://127.0.0.1:${port}/keys`, null, 20)).rejects.toThrow()
    const stop = new AbortController()
    const fetching = fetchFrom(`http://127.0.0.1:${port}/keys`, null, 60_000, stop.signal)
    stop.abort()
    await expect(fetching).rejects.toThrow()
    await expect(fetchFrom(`http://127.0.0.1:${port}/keys`, null, 60_000, stop.signal)).rejects.toThrow()
  })

  it.each([
    ['ends the connection', (socket: Socket) => void socket.end()],
    ['does not speak HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['never ends its head', (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(100_000)}`)],
    ['cuts its answer', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"keys"')],
  ])('rejects if a server %s', async (_, misbehave) => {
    const port = await listen(createRawServer((socket) => socket.on('error', () => {}).once('data', () => misbehave(socket))))
    await expect(fetchFrom(`http://127.0.0.1:${port}/keys`)).rejects.toThrow()
  })

  it('stops reading an endless answer after a bounded number of bytes', async () => {
    let sent = 0
    const server = createPlainServer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && sent < 100_000_000) {
          sent += 65_536
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', more)
        }
      }
      more()
    })
    await expect(fetchFrom(`http://127.0.0.1:${await listen(server)}/keys`)).rejects.toThrow()
    expect(sent).toBeLessThan(20_000_000)
  })
})

it.each([0, -1, 2 ** 31, Number.NaN])('httpsKeySets refuses a time limit of %j milliseconds', (timeoutMs) => {
  expect(() => httpsKeySets({ timeoutMs })).toThrow(TypeError)
})
