/** Audit logs on syslog servers and sockets, with real servers that parse strictly. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type SyslogAuditOptions,
  socketAuditFactory,
  syslogAudit,
  syslogAuditFactory,
} from '../../src/adapters/audit-syslog/index.ts'
import type { AuditEntry } from '../../src/core/contract/audit-entry.ts'
import { createKernel, type Kernel, keySeal, memoryStorage, verifyAudit } from '../../src/index.ts'
import { sender } from '../unit/audit/support.ts'
import { datagramServer, type LogServerWishes, logServer, parseMessage } from './audit-servers.ts'
import { authority } from './orchestrator-kubernetes/authorities.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function listening<T extends { readonly close: () => unknown }>(server: Promise<T>): Promise<T> {
  const made = await server
  closing.push(made.close)
  return made
}

function sinkTo(options: SyslogAuditOptions) {
  const sink = syslogAudit(options)
  closing.push(() => sink.close())
  return sink
}

type AuditPort = NonNullable<NonNullable<Parameters<typeof createKernel>[0]['ports']>['audit']>

async function open(audit: AuditPort): Promise<Kernel> {
  const seal = keySeal(new Uint8Array(32).fill(9))
  const kernel = await createKernel({ storage: memoryStorage(), seal, initialize: true, ports: { audit } })
  closing.push(() => kernel.close())
  return kernel
}

const entry = (line: string) => ({ line }) as AuditEntry
const textsOf = (frames: readonly Buffer[]) => frames.map((frame) => parseMessage(frame).text)

const folder = mkdtempSync(join(tmpdir(), 'syslog-'))
const socketPath = (name: string) => join(folder, name)
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const ca = authority('syslog-ca')

/** For each transport: a server, and the options of a sink for it. */
const TRANSPORTS = {
  udp: async () => {
    const server = await listening(datagramServer())
    return { server, options: { port: server.port } }
  },
  tcp: async () => {
    const server = await listening(logServer())
    return { server, options: { transport: 'tcp', host: 'localhost', port: server.port } }
  },
  tls: async () => {
    const server = await listening(logServer({ tls: ca.issue() }))
    return { server, options: { transport: 'tls', port: server.port, tls: { ca: ca.cert } } }
  },
  unix: async () => {
    const path = socketPath('log')
    const server = await listening(logServer({ path }))
    return { server, options: { path } }
  },
} satisfies Record<string, () => Promise<{ readonly options: SyslogAuditOptions; readonly server: unknown }>>

describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('syslogAudit over %s', (transport) => {
  it('sends each entry of a kernel as a message of RFC 5424, and the lines can be verified', async () => {
    const { server, options } = await TRANSPORTS[transport]()
    const kernel = await open({
      sinks: { log: sinkTo({ ...options, facility: 'local3', appName: 'shop' } as SyslogAuditOptions) },
    })
    await Promise.all(Array.from({ length: 20 }, (_, n) => kernel.kv.writeSecret({ path: `p${n}`, data: { n, 'ä\n': '€' } })))
    const messages = (await server.received(40)).map(parseMessage)
    for (const message of messages)
      expect(message).toMatchObject({ priority: 19 * 8 + 6, app: 'shop', process: `${process.pid}`, id: 'audit' })
    expect(await verifyAudit(kernel, { sink: 'log', lines: messages.map(({ text }) => text) })).toMatchObject({
      ok: true,
      entries: 40,
    })
  })

  it('refuses an entry that is longer than maxMessageBytes, and sends the next one', async () => {
    const { server, options } = await TRANSPORTS[transport]()
    const sink = sinkTo({ ...options, maxMessageBytes: 500, prefix: '@cee: ' } as SyslogAuditOptions)
    await expect(sink.write(entry('x'.repeat(500)))).rejects.toThrow('a message may have 500 bytes')
    await sink.write(entry('{"n":1}'))
    expect(textsOf(await server.received(1))).toEqual(['@cee: {"n":1}'])
  })

  it('refuses an entry whose signal is aborted already, and sends nothing of it', async () => {
    const { server, options } = await TRANSPORTS[transport]()
    const sink = sinkTo(options as SyslogAuditOptions)
    await expect(sink.write(entry('{"n":1}'), AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    await sink.write(entry('{"n":2}'))
    expect(textsOf(await server.received(1))).toEqual(['{"n":2}'])
  })
})

describe.each(['tcp', 'tls'] as const)('syslogAudit over %s', (transport) => {
  const serve = (wishes: LogServerWishes = {}) =>
    listening(logServer({ ...wishes, ...(transport === 'tls' && { tls: ca.issue() }) }))
  const to = (port: number) => sinkTo({ transport, port, ...(transport === 'tls' && { tls: { ca: ca.cert } }) })

  it('sends entries that are written at the same time in order over one connection', async () => {
    const server = await serve()
    const sink = to(server.port)
    const lines = Array.from({ length: 500 }, (_, n) => `{"n":${n},"text":"${'y'.repeat(n * 7)}"}`)
    await Promise.all(lines.map((line) => sink.write(entry(line))))
    expect(textsOf(await server.received(500))).toEqual(lines)
    expect(server.connections()).toBe(1)
  })

  it('connects again after the server ended the connection', async () => {
    const server = await serve()
    const sink = to(server.port)
    await sink.write(entry('{"n":1}'))
    await server.received(1)
    for (const socket of server.sockets) socket.destroy()
    // The first entry after the end may be lost or refused: the sink notices the end only when the system reports it.
    await new Promise((resolve) => setTimeout(resolve, 100))
    await sink.write(entry('{"n":2}'))
    expect(textsOf(await server.received(2))).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('rejects an entry at the abort if the server reads nothing, and sends no part of it later', async () => {
    const server = await serve({ paused: true })
    const sink = to(server.port)
    const stop = new AbortController()
    const long = `{"text":"${'z'.repeat(1_000_000)}"}`
    // The buffers of the system hold several megabytes, so the first entries may be taken.
    const written = Promise.allSettled(Array.from({ length: 15 }, () => sink.write(entry(long), stop.signal)))
    setTimeout(() => stop.abort(new Error('too late')), 300)
    const results = await written
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: new Error('too late') })
    for (const socket of server.sockets) socket.resume()
    await expect.poll(() => server.sockets.size).toBe(0)
    expect(server.frames).toHaveLength(results.filter(({ status }) => status === 'fulfilled').length)
  })

  it('rejects further entries if too many bytes wait, and keeps the order of the others', async () => {
    const server = await serve()
    const sink = to(server.port)
    const long = (n: number) => `{"n":${n},"text":"${'z'.repeat(1_000_000)}"}`
    const results = await Promise.allSettled(Array.from({ length: 24 }, (_, n) => sink.write(entry(long(n)))))
    const sent = results.flatMap(({ status }, n) => (status === 'fulfilled' ? [long(n)] : []))
    expect(sent).toHaveLength(16)
    expect(results.at(-1)).toMatchObject({ reason: { message: expect.stringMatching(/^syslogAudit: too many bytes wait/) } })
    expect(textsOf(await server.received(16))).toEqual(sent)
  })

  it('ends the connection to a server that sends data without end', async () => {
    let sent = 0
    const server = await serve({
      onConnection: (socket) => {
        const chunk = Buffer.alloc(16_384, 'x')
        const pump = () => {
          while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
        }
        socket.on('drain', pump).resume()
        pump()
      },
    })
    const sink = to(server.port)
    await Promise.resolve(sink.write(entry('{"n":1}'))).catch(() => {})
    await expect.poll(() => server.sockets.size).toBe(0)
    expect(sent).toBeLessThan(20_000_000)
  })

  it('lets its kernel refuse requests while there is no server, and work again afterwards', async () => {
    const server = await serve()
    const { port } = server
    const kernel = await open({ sinks: { log: to(port) } })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await server.close()
    await expect
      .poll(() => kernel.kv.writeSecret({ path: 'b', data: { a: 1 } }).catch((error: unknown) => error))
      .toMatchObject({ code: 'ERR_AUDIT' })
    const refused = kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_AUDIT', committed: false })
    await expect(refused).rejects.not.toThrow(String(port))
    await serve({ port })
    await expect
      .poll(
        () =>
          kernel.kv.writeSecret({ path: 'c', data: { a: 1 } }).then(
            () => 'written',
            () => 'refused',
          ),
        { timeout: 15_000 },
      )
      .toBe('written')
  })

  it('lets no kernel open whose server cannot be reached, and names the reason', async () => {
    const server = await serve()
    await server.close()
    await expect(open({ sinks: { log: to(server.port) } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      message: 'audit sink log: cannot be opened: syslogAudit: connection refused (ECONNREFUSED)',
    })
  })
})

describe('syslogAudit over tls', () => {
  it.each([
    ['comes from another authority', () => authority('other-syslog-ca').issue()],
    ['names another host', () => ca.issue({ names: ['DNS:elsewhere.example'] })],
    ['has expired', () => ca.issue({ days: [-2, -1] })],
  ])('refuses a server whose certificate %s', async (_, issue) => {
    const server = await listening(logServer({ tls: issue() }))
    const sink = sinkTo({ transport: 'tls', port: server.port, tls: { ca: ca.cert } })
    await expect(sink.write(entry('{"n":1}'))).rejects.toThrow(/^syslogAudit: no secure connection \([A-Z_]+\)$/)
    expect(server.frames).toEqual([])
  })

  it('presents its certificate to a server that requires one', async () => {
    const server = await listening(logServer({ tls: { ...ca.issue(), ca: ca.cert, requestCert: true } }))
    const sink = sinkTo({ transport: 'tls', port: server.port, tls: { ca: ca.cert, ...ca.issue({ purpose: 'client' }) } })
    await sink.write(entry('{"n":1}'))
    expect(textsOf(await server.received(1))).toEqual(['{"n":1}'])
  })
})

it('syslogAudit over udp refuses entries if the host has no address', async () => {
  const sink = sinkTo({ host: 'no-such-host.invalid' })
  await expect(sink.write(entry('{"n":1}'))).rejects.toThrow(/^syslogAudit: /)
  await expect(sink.write(entry('{"n":1}'))).rejects.not.toThrow('no-such-host')
})

it.each<[string, object]>([
  ['an unknown transport', { transport: 'http' }],
  ['an unknown facility', { facility: 'local9' }],
  ['an application name with a space', { appName: 'my shop' }],
  ['a prefix with a line break', { prefix: 'a\n' }],
  ['a port that does not exist', { port: 70_000 }],
  ['a path with a host', { path: '/run/log', host: 'localhost' }],
  ['TLS settings without TLS', { transport: 'tcp', tls: {} }],
  ['an unknown TLS setting', { transport: 'tls', tls: { rejectUnauthorized: false } }],
  ['a message size beyond UDP', { maxMessageBytes: 70_000 }],
])('syslogAudit refuses %s with a TypeError', (_, options) => {
  expect(() => syslogAudit(options)).toThrow(TypeError)
})

it('syslogAudit refuses a key that cannot be read, without the key in its message', () => {
  const options = { transport: 'tls', tls: { key: 'c2VjcmV0', cert: 'x' } } as const
  expect(() => syslogAudit(options)).toThrow(/^syslogAudit: tls has a certificate or key that cannot be read$/)
})

describe('an audit device of the type', () => {
  const enable = (kernel: Kernel, type: string, options: Record<string, unknown>) =>
    sender(kernel)('POST', 'sys/audit/log', { body: { type, options } })

  it('syslog sends to the server of the application with the facility and tag of the request', async () => {
    const server = await listening(logServer())
    const kernel = await open({ factories: { syslog: syslogAuditFactory({ transport: 'tcp', port: server.port }) } })
    expect((await enable(kernel, 'syslog', { facility: 'LOCAL1', tag: 'vault', host: 'elsewhere' })).status).toBe(204)
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    const messages = (await server.received(2)).map(parseMessage)
    expect(messages[0]).toMatchObject({ priority: 17 * 8 + 6, app: 'vault' })
    const lines = messages.map(({ text }) => text)
    expect(await verifyAudit(kernel, { sink: 'log', lines })).toMatchObject({ ok: true, entries: 2 })
    expect((await sender(kernel)('DELETE', 'sys/audit/log')).status).toBe(204)
    await kernel.kv.readSecret({ path: 'a' })
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  it.each<[string, Record<string, unknown>]>([
    ['syslog', { facility: 'LOCAL9' }],
    ['syslog', { tag: 'a b' }],
    ['syslog', { prefix: 'a\n' }],
    ['socket', {}],
    ['socket', { address: '127.0.0.1:1' }],
    ['socket', { address: '127.0.0.1:9', socket_type: 'udp' }],
    ['socket', { address: '127.0.0.1:9' }],
  ])('%s is refused with 400 if configured with %j', async (type, options) => {
    const factories = {
      syslog: syslogAuditFactory({ transport: 'udp' }),
      // The port 9 is closed.
      socket: socketAuditFactory({ targets: [{ address: '127.0.0.1:9' }] }),
    }
    const kernel = await open({ factories })
    expect((await enable(kernel, type, options)).status).toBe(400)
    expect((await kernel.audit.listDevices()).devices).toEqual({})
  })

  it('socket sends lines to an address that the application allows', async () => {
    const server = await listening(logServer({ lines: true }))
    const path = socketPath('socket')
    const local = await listening(logServer({ lines: true, path }))
    const targets = [{ address: `127.0.0.1:${server.port}` }, { address: path, socketType: 'unix' }] as const
    const kernel = await open({ factories: { socket: socketAuditFactory({ targets }) } })
    const address = `127.0.0.1:${server.port}`
    expect((await enable(kernel, 'socket', { address, socket_type: 'tcp', write_timeout: '2s' })).status).toBe(204)
    await kernel.audit.enableDevice({ path: 'local', type: 'socket', options: { address: path, socket_type: 'unix' } })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    const lines = (await server.received(4)).map(String)
    expect(await verifyAudit(kernel, { sink: 'log', lines })).toMatchObject({ ok: true, entries: 4 })
    expect(await local.received(2)).toHaveLength(2)
  })
})

it.each<[string, unknown]>([
  ['no targets', []],
  ['an address without a port', [{ address: 'logs.test' }]],
  ['an unknown type of socket', [{ address: '/run/log', socketType: 'tls' }]],
  ['a Unix socket without a path', [{ address: '', socketType: 'unix' }]],
])('socketAuditFactory refuses %s with a TypeError', (_, targets) => {
  expect(() => socketAuditFactory({ targets } as Parameters<typeof socketAuditFactory>[0])).toThrow(TypeError)
})
