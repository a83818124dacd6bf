/** Wrong configurations of an etcd storage. Each error names the member and contains no password. */
import { createServer as createHttp1 } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, type EtcdStorageOptions, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { ask } from '../../fixtures/etcd/cluster.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { freePort } from '../../fixtures/servers/server.ts'

const put = (key: string, value = new Uint8Array(1)) => ({ op: 'put', key, value }) as const
const PASSWORD = 'correct-horse-battery'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function open(options: Partial<EtcdStorageOptions> & Pick<EtcdStorageOptions, 'hosts'>): EtcdStorage {
  const storage = etcdStorage({ prefix: freshPrefix(), ...options })
  undo.push(() => storage.close())
  return storage
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => new Promise((resolve) => server.close(resolve)))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    (error: Error) => error.message,
  )

describe('options of etcdStorage', () => {
  it.each<[string, object]>([
    ['hosts', { hosts: [] }],
    ['hosts', { hosts: 'localhost:2379' }],
    ['hosts', { hosts: 'http://localhost:2379/v3' }],
    ['hosts', { hosts: `http://root:${PASSWORD}@localhost:2379` }],
    ['prefix', { hosts: 'http://localhost', prefix: '' }],
    ['prefix', { hosts: 'http://localhost', prefix: 'x'.repeat(129) }],
    ['tls', { hosts: 'http://localhost', tls: {} }],
    ['user', { hosts: 'http://localhost', user: 'root' }],
    ['timeoutMs', { hosts: 'http://localhost', timeoutMs: 0 }],
    ['signal', { hosts: 'http://localhost', signal: {} }],
    ['maxTxnOps', { hosts: 'http://localhost', maxTxnOps: 8 }],
    ['maxValueBytes', { hosts: 'http://localhost', maxValueBytes: 2_000_000 }],
  ])('are refused with an error that names %s, before any request: %o', (name, options) => {
    const make = () => etcdStorage(options as EtcdStorageOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(name)
    expect(make).not.toThrow(PASSWORD)
  })
})

describe('etcdStorage with hosts that are not etcd members', () => {
  it('names each host and its error if no host accepts a connection', async () => {
    const hosts = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    const storage = open({ hosts: hosts.map((host) => `http://${host}`), timeoutMs: 3000 })
    const calls = [storage.get('a'), storage.commit([put('a')], 'a'), storage.watch('', 0, () => undefined)]
    for (const message of await Promise.all(calls.map(messageOf))) {
      expect(message).toContain('no member accepts a connection')
      for (const host of hosts) expect(message).toContain(`etcd at ${host}: connect ECONNREFUSED`)
    }
  })

  it('names the failed connection, but no address, in the error of a kernel', async () => {
    const storage = open({ hosts: `http://127.0.0.1:${await freePort()}`, timeoutMs: 3000 })
    const error = await createKernel({ storage, seal: keySeal(new Uint8Array(32)) }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'ERR_UNAVAILABLE',
      message: 'the storage failed or cannot be reached: connection refused (ECONNREFUSED); nothing is known to have changed',
      cause: { message: expect.stringContaining('no member accepts a connection') },
    })
  })

  it('names a host that does not resolve', async () => {
    const message = await messageOf(open({ hosts: 'http://etcd.invalid', timeoutMs: 300 }).get('a'))
    expect(message).toMatch(
      /no (?:answer within 300 ms|member accepts a connection); etcd at etcd\.invalid:2379: .*(ENOTFOUND|EAI_AGAIN|did not answer)/,
    )
  })

  it('reports a server that speaks only HTTP/1, such as etcd version 2, without waiting for the deadline', async () => {
    const host = await listening(createHttp1((_, response) => response.end('{"action":"get"}')))
    expect(await messageOf(open({ hosts: `http://${host}`, timeoutMs: 60_000 }).get('a'))).toMatch(
      new RegExp(`no member is usable; etcd at ${host}: it does not speak HTTP/2`),
    )
  })

  it('reports a server without the v3 API without waiting for the deadline', async () => {
    const server = createHttp2((_, response) => {
      response.statusCode = 404
      response.end('404 page not found')
    })
    const host = await listening(server as unknown as Server)
    expect(await messageOf(open({ hosts: `http://${host}`, timeoutMs: 60_000 }).get('a'))).toContain(
      `etcd at ${host}: it does not serve the v3 API (it answered HTTP 404)`,
    )
  })

  it('reports a gRPC server without the etcd services without waiting for the deadline', async () => {
    const server = createHttp2()
    server.on('stream', (stream, headers) => {
      const status = { 'grpc-status': '12', 'grpc-message': `unknown service ${headers[':path']?.split('/')[1]}` }
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true })
    })
    const host = await listening(server as unknown as Server)
    const messageStart = `etcd at ${host}: it does not serve the v3 API (unknown service etcdserverpb.`
    expect(await messageOf(open({ hosts: `http://${host}`, timeoutMs: 60_000 }).get('a'))).toContain(`${messageStart}KV)`)
    const login = { user: 'app', password: PASSWORD }
    expect(await messageOf(open({ hosts: `http://${host}`, timeoutMs: 60_000, ...login }).get('a'))).toContain(
      `${messageStart}Auth)`,
    )
  })

  it('names the TLS handshake in the error if the server resets the connection during the handshake', async () => {
    const host = await listening(createTcp((socket) => socket.once('data', () => socket.resetAndDestroy())))
    const message = await messageOf(open({ hosts: `https://${host}`, timeoutMs: 300 }).get('a'))
    expect(message).toContain(`etcd at ${host}: the connection ended during the TLS handshake`)
  })

  it('ends a call at its deadline if a server accepts the connection and never answers', async () => {
    const sockets = new Set<{ destroy(): void }>()
    const host = await listening(createTcp((socket) => sockets.add(socket)))
    undo.push(async () => {
      for (const socket of sockets) socket.destroy()
    })
    expect(await messageOf(open({ hosts: `http://${host}`, timeoutMs: 300 }).get('a'))).toContain(
      `etcd at ${host}: it did not answer`,
    )
  })
})

describe.skipIf(etcdMissing !== undefined)(`an etcd prefix${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('is refused if it contains keys of a program other than strongroom', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    const key = Buffer.from(`${prefix}theirs`).toString('base64')
    await ask(host, '/v3/kv/put', { key, value: 'eA==' })
    const storage = open({ hosts: host, prefix })
    const message = `prefix ${prefix}: is used by something other than a store, which has the key ${prefix}theirs`
    await expect(storage.get('a')).rejects.toThrow(message)
    await expect(storage.commit([put('a')], 'a')).rejects.toThrow(message)
  })

  it('is refused if it is inside the prefix of another store, or contains that prefix', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    await open({ hosts: host, prefix }).commit([put('a')], 'a')
    await expect(open({ hosts: host, prefix: `${prefix}inner/` }).get('a')).rejects.toThrow(
      'is inside the prefix of another store',
    )
    await expect(open({ hosts: host, prefix: prefix.slice(0, -1) }).get('a')).rejects.toThrow('is used')
    expect((await open({ hosts: host, prefix }).get('a'))?.value).toEqual(new Uint8Array(1))
  })

  it('is refused if its store has a newer format', async () => {
    const [host, prefix] = [await etcdHost(), freshPrefix()]
    await open({ hosts: host, prefix }).revision()
    const stamp = { key: Buffer.from(`${prefix}f`).toString('base64'), value: Buffer.from('strongroom 2').toString('base64') }
    await ask(host, '/v3/kv/put', stamp)
    await expect(open({ hosts: host, prefix }).get('a')).rejects.toThrow(
      'has format 2; this version of strongroom reads formats up to 1',
    )
  })
})
