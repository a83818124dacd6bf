/**
 * The TCP requester, and servers of any behavior.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { answering, frame, GREETING, rawListener } from './raw.ts'
import { bytesOf, never } from './suite.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe('an address of a TCP transport', () => {
  it('contains the requested host and the port that listens', async () => {
    const transport = tcpTransport()
    for (const [address, shown] of [
      ['127.0.0.1:0', /^127\.0\.0\.1:([1-9]\d*)$/],
      ['localhost:0', /^localhost:([1-9]\d*)$/],
      ['0.0.0.0:0', /^0\.0\.0\.0:([1-9]\d*)$/],
      ['[::1]:0', /^\[::1\]:([1-9]\d*)$/],
      ['', /^127\.0\.0\.1:([1-9]\d*)$/],
    ] as const) {
      const on = await transport.listen(address, async (message) => message)
      closers.push(() => on.close())
      expect(on.address).toMatch(shown)
      expect(await transport.request(on.address, bytesOf(2), never())).toHaveLength(2)
    }
  })

  it('contains the advertised host if one is configured', async () => {
    for (const [advertise, shown] of [
      ['localhost', /^localhost:\d+$/],
      ['::1', /^\[::1\]:\d+$/],
    ] as const) {
      const on = await tcpTransport({ advertise }).listen('0.0.0.0:0', async (message) => message)
      closers.push(() => on.close())
      expect(on.address).toMatch(shown)
    }
  })

  it('cannot be listened at while it is in use', async () => {
    const transport = tcpTransport()
    const on = await transport.listen('', async (message) => message)
    closers.push(() => on.close())
    await expect(transport.listen(on.address, async (message) => message)).rejects.toThrow(/EADDRINUSE/)
  })

  it.each([
    'nowhere',
    'host:',
    ':1',
    'host:65536',
    'host:-1',
    '::1:80',
    '[::1]',
    '[host]:1',
    '[1.2.3.4]:1',
    'a b:1',
    'host:1/',
    'http://host:1',
  ])('is refused with a TypeError if it is malformed: %s', async (address) => {
    await expect(tcpTransport().listen(address, async (message) => message)).rejects.toThrow(TypeError)
    await expect(tcpTransport().request(address, bytesOf(1), never())).rejects.toThrow(TypeError)
  })

  it('is refused as an invalid advertised address with a TypeError, as are other invalid options', () => {
    const wrong = (options: unknown) => () => tcpTransport(options as never)
    for (const options of [
      { advertise: '' },
      { advertise: 'host:1' },
      { advertise: '[::1]' },
      { advertise: 7 },
      { maxConnections: 0 },
      { maxRequests: 1.5 },
      { idleMs: '5' },
      { stallMs: 2 ** 31 },
    ])
      expect(wrong(options)).toThrow(TypeError)
  })
})

describe('the requests of a TCP transport', () => {
  it('share one connection, even 200 concurrent requests', async () => {
    await using server = await rawListener((end) => {
      // Answers the requests in reverse order.
      void end.waitForBytes(GREETING.length + 200 * 11).then((received) => {
        end.socket.write(GREETING)
        for (let n = 199; n >= 0; n--) {
          const at = GREETING.length + n * 11
          end.socket.write(frame(1, received.readUInt32BE(at + 4), received.subarray(at + 9, at + 11)))
        }
      })
    })
    const transport = tcpTransport()
    const requests = Array.from({ length: 200 }, (_, n) => transport.request(server.address, Uint8Array.of(n, 7), never()))
    for (const [n, answer] of (await Promise.all(requests)).entries()) expect([...answer]).toEqual([n, 7])
    expect(server.connections).toHaveLength(1)
  })

  it('use an open connection again until it was idle for the configured time', async () => {
    await using server = await answering()
    const transport = tcpTransport({ idleMs: 200 })
    for (let n = 0; n < 5; n++) expect([...(await transport.request(server.address, Uint8Array.of(n), never()))]).toEqual([n])
    expect(server.connections).toHaveLength(1)
    await server.connections[0]!.ended
    await transport.request(server.address, Uint8Array.of(1), never())
    expect(server.connections).toHaveLength(2)
  })

  it('fail after the stall time if the peer accepts the connection and sends nothing', async () => {
    await using server = await rawListener(() => {})
    const begun = performance.now()
    await expect(tcpTransport({ stallMs: 200 }).request(server.address, bytesOf(1), never())).rejects.toThrow(/lost/)
    expect(performance.now() - begun).toBeGreaterThan(180)
    await server.connections[0]!.ended
  })

  it('wait for an answer until their signal is aborted, and then close the connection', async () => {
    await using server = await rawListener((end) => end.socket.write(GREETING))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closers.push(() => vi.useRealTimers())
    const transport = tcpTransport({ stallMs: 100, idleMs: 100 })
    const stop = new AbortController()
    const pending = transport.request(server.address, bytesOf(1), stop.signal)
    pending.catch(() => {})
    expect(vi.getTimerCount()).toBe(1)
    // The greeting has arrived, so only the answer is pending.
    while (vi.getTimerCount() > 0) await turn()
    vi.advanceTimersByTime(3_600_000)
    await turn()
    stop.abort(new Error('given up'))
    await expect(pending).rejects.toThrow('given up')
    await server.connections[0]!.ended
  })

  it('use a new connection after a request timed out without any data, but pending requests wait on theirs', async () => {
    let answerFirst = (): unknown => undefined
    await using server = await rawListener((end) => {
      if (server.connections.length === 1)
        answerFirst = () => end.socket.write(Buffer.concat([GREETING, frame(1, 1, bytesOf(2))]))
      else
        void end
          .waitForBytes(GREETING.length + 10)
          .then(() => end.socket.write(Buffer.concat([GREETING, frame(1, 1, bytesOf(3))])))
    })
    const transport = tcpTransport()
    const patient = transport.request(server.address, bytesOf(1), never())
    await expect(transport.request(server.address, bytesOf(1), AbortSignal.timeout(50))).rejects.toThrow(/timeout/)
    expect(await transport.request(server.address, bytesOf(1), never())).toHaveLength(3)
    answerFirst()
    expect(await patient).toHaveLength(2)
    expect(server.connections).toHaveLength(2)
    await server.connections[0]!.ended
  })

  it.each([
    ['speaks another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['announces a gibibyte', Buffer.concat([GREETING, frame(1, 1, new Uint8Array(0), 2 ** 30)])],
    ['sends a request', Buffer.concat([GREETING, frame(0, 1, bytesOf(1))])],
    ['sends frames of an unknown kind', Buffer.concat([GREETING, frame(9, 1, bytesOf(1))])],
  ])('fail if the peer %s', async (_, bytes) => {
    await using server = await rawListener((end) => end.socket.write(bytes))
    await expect(tcpTransport().request(server.address, bytesOf(1), never())).rejects.toThrow(/lost/)
    await server.connections[0]!.ended
  })

  it('ignore answers that belong to no pending request', async () => {
    await using server = await rawListener((end) => {
      void end.waitForBytes(GREETING.length + 10).then((received) => {
        const id = received.readUInt32BE(GREETING.length + 4)
        const strays = [
          frame(1, id + 1, bytesOf(9)),
          frame(2, id + 2, bytesOf(0)),
          frame(1, id, bytesOf(4)),
          frame(1, id, bytesOf(5)),
        ]
        end.socket.write(Buffer.concat([GREETING, ...strays]))
      })
    })
    expect(await tcpTransport().request(server.address, bytesOf(1), never())).toHaveLength(4)
  })

  it('fail if the peer half-closes or resets the connection, after which the next request connects again', async () => {
    await using server = await rawListener((end) => {
      end.socket.write(GREETING)
      const nth = server.connections.length
      void end.waitForBytes(GREETING.length + 10).then((received) => {
        if (nth === 1) end.socket.end()
        else if (nth === 2) end.socket.resetAndDestroy()
        else end.socket.write(frame(1, received.readUInt32BE(GREETING.length + 4), bytesOf(3)))
      })
    })
    const transport = tcpTransport()
    const both = [transport.request(server.address, bytesOf(1), never()), transport.request(server.address, bytesOf(1), never())]
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe('rejected')
    await expect(transport.request(server.address, bytesOf(1), never())).rejects.toThrow(/lost/)
    expect(await transport.request(server.address, bytesOf(1), never())).toHaveLength(3)
    expect(server.connections).toHaveLength(3)
  })

  it('fail immediately if the peer half-closes the connection and stops reading', async () => {
    await using server = await rawListener((end) => {
      end.socket.end(GREETING)
      end.socket.pause()
    })
    await expect(tcpTransport().request(server.address, new Uint8Array(8_000_000), never())).rejects.toThrow(/lost/)
  })

  it('are refused while too many bytes wait to be sent to a peer that does not read', async () => {
    await using server = await rawListener((end) => {
      end.socket.write(GREETING)
      end.socket.pause()
    })
    const stops = Array.from({ length: 20 }, () => new AbortController())
    const transport = tcpTransport()
    const requests = stops.map(({ signal }) => transport.request(server.address, new Uint8Array(8_000_000), signal))
    const settled = Promise.allSettled(requests)
    await expect(requests[19]).rejects.toThrow(/are queued/)
    for (const stop of stops) stop.abort()
    const refused = (await settled).filter(
      (candidate) => candidate.status === 'rejected' && /are queued/.test(String(candidate.reason)),
    )
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(10)
  })
})
