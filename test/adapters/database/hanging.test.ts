/** Servers that accept a connection and never answer, refuse it, or close it: the signal ends the call, and no connection stays open. */
import { createServer, type Server, type Socket } from 'node:net'
import * as mongodb from 'mongodb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { freePort } from '../../fixtures/servers/server.ts'

const PLUGINS = [
  {
    name: 'postgresql',
    plugin: postgresqlPlugin({ pg }),
    url: (port: number) => `postgresql://{{username}}:{{password}}@127.0.0.1:${port}/x`,
  },
  { name: 'mysql', plugin: mysqlPlugin({ mysql2 }), url: (port: number) => `{{username}}:{{password}}@tcp(127.0.0.1:${port})/` },
  {
    name: 'mongodb',
    plugin: mongodbPlugin({ mongodb }),
    url: (port: number) => `mongodb://{{username}}:{{password}}@127.0.0.1:${port}/`,
  },
]

describe.each(PLUGINS)('the $name plugin', ({ plugin, url }) => {
  let server: Server
  const open = new Set<Socket>()
  const details = (port: number) => ({ connection_url: url(port), username: 'root', password: 'secret-word' })

  beforeEach(async () => {
    // Half-open: if only the client ends its side, the connection stays open, as with a stuck server.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => open.delete(socket))
      socket.resume()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it('ends calls to a server that never answers when their signal is aborted', async () => {
    const { port } = server.address() as { port: number }
    const calls = Array.from({ length: 5 }, () => plugin.connect(details(port), AbortSignal.timeout(300)))
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'timeout' } })
      expect((result as PromiseRejectedResult).reason.message).not.toContain('secret-word')
    }
    // A half-open server closes its own side when the client's socket is gone. A connection may be accepted after the client has left it.
    const rest = () => {
      for (const socket of open) socket.end()
      return open.size
    }
    await expect.poll(rest, { timeout: 50_000, interval: 5 }).toBe(0)
  })

  it('reports a connection failure or timeout if no server listens on the port', async () => {
    const failing = plugin.connect(details(await freePort()), AbortSignal.timeout(300))
    const { reason } = await failing.then(
      () => expect.unreachable(),
      (error: { reason: string }) => error,
    )
    expect(['connection', 'timeout']).toContain(reason)
  })

  it('reports a connection failure or timeout if the server breaks the protocol or closes the connection', async () => {
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      const otherServer = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.resume()
        socket.end(answer)
      })
      await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve))
      const { port } = otherServer.address() as { port: number }
      await expect(plugin.connect(details(port), AbortSignal.timeout(300))).rejects.toMatchObject({
        reason: expect.stringMatching(/^(connection|timeout)$/),
      })
      await new Promise((resolve) => otherServer.close(resolve))
    }
  })
})
