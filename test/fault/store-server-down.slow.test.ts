/**
 * Database servers that cannot be reached: requests fail immediately, the status reports it, and requests succeed again after the server
 * recovers.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { etcdStorage } from '../../src/adapters/storage-etcd/index.ts'
import { postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import { createKernel, type Kernel, type KernelError, keySeal, type Storage } from '../../src/index.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../fixtures/etcd/server.ts'
import { type FreezingProxy, startFreezingProxy } from '../fixtures/servers/freezing-proxy.ts'
import { passwordPostgresMissing, postgresOfRun } from '../fixtures/servers/postgres.ts'

interface OpenStorage {
  readonly storage: Storage
  close(): Promise<unknown>
}

interface Server {
  readonly name: string
  readonly missing: string | undefined
  readonly address: () => Promise<{ readonly host: string; readonly port: number }>
  readonly open: (port: number, timeoutMs: number) => Promise<OpenStorage>
}

const SERVERS: readonly Server[] = [
  {
    name: 'PostgreSQL',
    missing: passwordPostgresMissing,
    address: postgresOfRun,
    async open(port, timeoutMs) {
      const { username: user, password } = await postgresOfRun()
      const pool = new pg.Pool({ host: '127.0.0.1', port, user, password, database: 'postgres' })
      pool.on('error', () => undefined)
      const storage = postgresqlStorage({ pool, table: `down_${randomBytes(6).toString('hex')}`, timeoutMs })
      return { storage, close: () => storage.close().then(() => pool.end()) }
    },
  },
  {
    name: 'etcd',
    missing: etcdMissing,
    async address() {
      const { hostname, port } = new URL(await etcdHost())
      return { host: hostname, port: Number(port) }
    },
    async open(port, timeoutMs) {
      const storage = etcdStorage({ hosts: `http://127.0.0.1:${port}`, prefix: freshPrefix(), timeoutMs })
      return { storage, close: () => storage.close() }
    },
  },
]

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function proxyTo({ address }: Server, port?: number): Promise<FreezingProxy> {
  const { host, port: to } = await address()
  const proxy = await startFreezingProxy(host, to, port)
  undo.push(() => proxy.stop().catch(() => undefined))
  return proxy
}

async function openKernel(server: Server, port: number, timeoutMs: number): Promise<Kernel> {
  const { storage, close } = await server.open(port, timeoutMs)
  undo.push(close)
  const kernel = await createKernel({
    storage,
    seal: keySeal(new Uint8Array(32)),
    initialize: true,
    storageTimeoutMs: timeoutMs,
  })
  undo.push(() => kernel.close())
  await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
  return kernel
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: KernelError) => error.code,
  )

const write = (kernel: Kernel) => outcome(kernel.kv.writeSecret({ path: 'b', data: { n: 2 } }))

async function shown(kernel: Kernel) {
  const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/sys/health' })
  const { storage } = await kernel.status()
  return [status, (body as { storage?: string }).storage, storage.available]
}

const MANY = Array.from({ length: 20 })

const TITLED = SERVERS.map((server) => ({
  ...server,
  title: server.missing ? `${server.name} (skipped: ${server.missing})` : server.name,
}))

describe.each(TITLED)('a kernel whose store is on $title', (server) => {
  const onServer = it.skipIf(server.missing !== undefined)

  onServer(
    'fails requests immediately while the server refuses connections, and serves them after the server recovers',
    async () => {
      const { port, stop } = await proxyTo(server)
      // Waiting for this time limit would exceed the test's own.
      const kernel = await openKernel(server, port, 600_000)
      await stop()
      expect(await outcome(kernel.kv.readSecret({ path: 'never read before' }))).toBe('ERR_UNAVAILABLE')
      expect(await write(kernel)).toBe('ERR_UNAVAILABLE')
      expect(await Promise.all(MANY.map(() => write(kernel)))).toEqual(MANY.map(() => 'ERR_UNAVAILABLE'))
      expect(await shown(kernel)).toEqual([503, 'unavailable', false])
      await proxyTo(server, port)
      await expect.poll(() => write(kernel), { timeout: 60_000 }).toBe('done')
      expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
      expect(await shown(kernel)).toEqual([200, 'available', true])
    },
  )

  onServer(
    'delays requests only until the first time limit while the server is silent, and serves them after the server recovers',
    async () => {
      const proxy = await proxyTo(server)
      const kernel = await openKernel(server, proxy.port, 1000)
      proxy.freeze()
      expect(await write(kernel)).toBe('ERR_UNAVAILABLE')
      expect(await Promise.all(MANY.map(() => write(kernel)))).toEqual(MANY.map(() => 'ERR_UNAVAILABLE'))
      expect(await shown(kernel)).toEqual([503, 'unavailable', false])
      proxy.thaw()
      await expect.poll(() => write(kernel), { timeout: 60_000 }).toBe('done')
      expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ n: 1 })
    },
  )
})
