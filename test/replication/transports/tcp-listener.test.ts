/**
 * A TCP listener, and clients of any behavior.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type TcpTransportOptions, tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import type { MessageHandler, TransportListener } from '../../../src/core/contract/replication-transport.ts'
import fc from '../../fixtures/fast-check.ts'
import { dial, frame, GREETING, type RawEnd } from './raw.ts'
import { bytesOf, never } from './suite.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listening(
  options: TcpTransportOptions = {},
  handler: MessageHandler = async (message) => message,
): Promise<TransportListener> {
  const on = await tcpTransport(options).listen('', handler)
  closers.push(() => on.close())
  return on
}

function dialled(address: string): RawEnd {
  const end = dial(address)
  closers.push(() => end.socket.destroy())
  return end
}

/** Waits until `is` returns true, in real time. Only a defect takes a minute. */
async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await is()); await sleep(5))
    if (Date.now() > deadline) throw new Error('waited for a minute')
}

const works = async ({ address }: TransportListener): Promise<void> => {
  expect(await tcpTransport().request(address, bytesOf(3), never())).toHaveLength(3)
}

const untilWorks = (on: TransportListener): Promise<void> =>
  until(() =>
    works(on).then(
      () => true,
      () => false,
    ),
  )

/** Time limits that no test reaches, however slow the machine is. */
const PATIENT: TcpTransportOptions = { stallMs: 600_000, strangerMs: 600_000 }

describe('a TCP listener', () => {
  it('answers messages as the documented protocol requires, whatever chunks they arrive in', async () => {
    const on = await listening()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 50 }),
        async (messages, size) => {
          const end = dialled(on.address)
          const sent = Buffer.concat([GREETING, ...messages.map((message, n) => frame(0, n * 7, message))])
          for (let at = 0; at < sent.length; at += size) end.socket.write(sent.subarray(at, at + size))
          const expected = Buffer.concat([GREETING, ...messages.map((message, n) => frame(1, n * 7, message))])
          expect(Buffer.compare(await end.waitForBytes(expected.length), expected)).toBe(0)
          end.socket.destroy()
        },
      ),
      { numRuns: 30 },
    )
  })

  it('closes a connection without an answer at the first wrong byte of the greeting', async () => {
    const on = await listening()
    const garbage = [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.of(0),
      Buffer.from([...GREETING.subarray(0, 7), 2]),
      Buffer.from([0x9f, 0]),
    ]
    for (const bytes of garbage) {
      const end = dialled(on.address)
      end.socket.write(bytes)
      await end.ended
      expect(end.received()).toHaveLength(0)
    }
    await works(on)
  })

  it('still answers other connections after it received random bytes', async () => {
    const on = await listening()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 9, maxLength: 200 }), async (bytes) => {
        const end = dialled(on.address)
        end.socket.end(Buffer.concat([GREETING, bytes]))
        await end.ended
      }),
      { numRuns: 100 },
    )
    await works(on)
  })

  it.each([
    ['a gibibyte', frame(0, 1, new Uint8Array(0), 2 ** 30)],
    ['one byte more than the maximum', frame(0, 1, new Uint8Array(0), 8_388_609)],
    ['an answer', frame(1, 1, new Uint8Array(1))],
    ['a frame of an unknown kind', frame(77, 1, new Uint8Array(0))],
  ])('closes a connection that announces %s without allocating memory for it', async (_, bytes) => {
    const on = await listening()
    const end = dialled(on.address)
    const before = process.memoryUsage().arrayBuffers
    end.socket.write(Buffer.concat([GREETING, bytes]))
    await end.ended
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000)
    await works(on)
  })

  it('allocates no memory for announced bytes that have not arrived', async () => {
    const on = await listening()
    const before = process.memoryUsage().arrayBuffers
    const ends = Array.from({ length: 100 }, () => dialled(on.address))
    for (const { socket } of ends) socket.write(Buffer.concat([GREETING, frame(0, 1, new Uint8Array(1), 8_388_608)]))
    await Promise.all(ends.map((end) => end.waitForBytes(8)))
    await works(on)
    // The peers announced 800 MiB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
  })

  it('limits the memory of all connections together, and closes connections beyond the limit', async () => {
    const on = await listening(PATIENT)
    const almost = Buffer.concat([GREETING, frame(0, 1, new Uint8Array(8_000_000), 8_388_608)])
    const ends = Array.from({ length: 40 }, () => dialled(on.address))
    let closed = 0
    for (const end of ends) {
      void end.ended.then(() => closed++)
      await new Promise((resolve) => end.socket.write(almost, resolve))
    }
    await until(() => closed >= 8)
    await sleep(100)
    // The limit of 256 MiB allows 32 messages of 8 MiB.
    expect(closed).toBe(8)
    for (const { socket } of ends) socket.destroy()
    await untilWorks(on)
  })

  it('closes a connection whose greeting or message is incomplete after the stall time, even if more bytes arrive', async () => {
    const on = await listening({ stallMs: 300 })
    const quiet = dialled(on.address)
    quiet.socket.write(GREETING)
    await quiet.waitForBytes(8)
    // Only the timers of this process are fake; sockets use real time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closers.push(() => vi.useRealTimers())
    let ended = 0
    const ends = [Buffer.alloc(0), GREETING.subarray(0, 3), Buffer.concat([GREETING, frame(0, 1, new Uint8Array(2), 5000)])].map(
      (bytes) => {
        const end = dialled(on.address)
        end.socket.write(bytes)
        void end.ended.then(() => ended++)
        return end
      },
    )
    const [, , dribbling] = ends as [RawEnd, RawEnd, RawEnd]
    await dribbling.waitForBytes(8)
    await until(() => vi.getTimerCount() === ends.length)
    vi.advanceTimersByTime(299)
    for (let n = 0; n < 3; n++) {
      dribbling.socket.write(Buffer.of(1))
      await sleep(5)
    }
    expect(ended).toBe(0)
    vi.advanceTimersByTime(1)
    await Promise.all(ends.map((end) => end.ended))
    // A connection without an incomplete message stays open.
    quiet.socket.write(frame(0, 1, bytesOf(2)))
    expect(await quiet.waitForBytes(8 + 9 + 2)).toHaveLength(19)
  })

  it('closes an idle connection, but not one with a message in progress', async () => {
    let answer = (): void => {}
    let handled = 0
    const on = await listening({ idleMs: 100 }, async (message) => {
      handled++
      if (message.length > 0) await new Promise<void>((resolve) => (answer = resolve))
      return message
    })
    const busy = dialled(on.address)
    busy.socket.write(Buffer.concat([GREETING, frame(0, 1, bytesOf(1))]))
    await until(() => handled === 1)
    // Its idle time begins after that of the busy connection, so it ends later.
    const idle = dialled(on.address)
    idle.socket.write(Buffer.concat([GREETING, frame(0, 1, new Uint8Array(0))]))
    await idle.waitForBytes(17)
    await idle.ended
    expect(busy.socket.readableEnded).toBe(false)
    answer()
    expect(await busy.waitForBytes(18)).toHaveLength(18)
    await busy.ended
  })

  it('closes a connection whose peer does not read its answers', async () => {
    let handled = 0
    const on = await listening({ idleMs: 200, maxRequests: 8, maxConnections: 1 }, async () => {
      handled++
      return new Uint8Array(8_000_000)
    })
    const end = dialled(on.address)
    end.socket.pause()
    const frames = Array.from({ length: 25 }, (_, n) => frame(0, n, new Uint8Array(0)))
    end.socket.write(Buffer.concat([GREETING, ...frames]))
    await until(() => handled > 0)
    // The listener accepts another connection once it has closed this one.
    await until(async () => {
      const otherEnd = dialled(on.address)
      otherEnd.socket.write(GREETING)
      return Promise.race([otherEnd.waitForBytes(8).then(() => true), otherEnd.ended.then(() => false)])
    })
    // It took no further messages while so many answers could not be written.
    expect(handled).toBeLessThanOrEqual(8)
    end.socket.resume()
    await end.ended
    expect(handled).toBeLessThanOrEqual(8)
    await works(await listening())
  })

  it('processes only a limited number of messages of a connection concurrently, but answers all of them', async () => {
    let [underWay, most] = [0, 0]
    const on = await listening({ maxRequests: 5 }, async (message) => {
      most = Math.max(most, ++underWay)
      await sleep(5)
      underWay--
      return message
    })
    const transport = tcpTransport()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => transport.request(on.address, Uint8Array.of(n), never())),
    )
    expect(answers.map(([n]) => n)).toEqual(Array.from({ length: 60 }, (_, n) => n))
    expect(most).toBe(5)
  })

  it('limits the number of connections of members', async () => {
    const on = await listening({ maxConnections: 3 }, async (message, fromMember) => {
      fromMember?.()
      return message
    })
    const kept = [dialled(on.address), dialled(on.address), dialled(on.address)]
    for (const end of kept) {
      end.socket.write(Buffer.concat([GREETING, frame(0, 1, bytesOf(1))]))
      await end.waitForBytes(18)
    }
    await dialled(on.address).ended
    kept[0]!.socket.destroy()
    await untilWorks(on)
  })

  it('closes a connection after its peer has half-closed it, at any point of the protocol', async () => {
    const on = await listening()
    for (const bytes of [
      Buffer.alloc(0),
      GREETING.subarray(0, 4),
      GREETING,
      Buffer.concat([GREETING, frame(0, 1, bytesOf(1), 2)]),
    ]) {
      const end = dialled(on.address)
      end.socket.end(bytes)
      await end.ended
    }
    await works(on)
  })

  it('closes all connections when it is closed, even during a request', async () => {
    let requests = 0
    const on = await listening({}, () => {
      requests++
      return new Promise(() => {})
    })
    const idle = dialled(on.address)
    idle.socket.write(GREETING)
    await idle.waitForBytes(8)
    const waiting = tcpTransport().request(on.address, bytesOf(1), never())
    waiting.catch(() => {})
    await until(() => requests === 1)
    await on.close()
    await idle.ended
    await expect(waiting).rejects.toThrow(/lost/)
  })
})
