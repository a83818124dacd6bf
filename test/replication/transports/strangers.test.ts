/** Connections of unauthenticated peers to a TCP listener, which take no connection and no memory away from members. */
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { siteOf } from '../../../src/adapters/replication-tcp/connections.ts'
import { type TcpTransportOptions, tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import type { MessageHandler, TransportListener } from '../../../src/core/contract/replication-transport.ts'
import { frame, GREETING } from './raw.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A message that begins with 7 is from a member. */
const answer: MessageHandler = async (message, fromMember) => {
  if (message[0] === 7) fromMember?.()
  return message.slice(0, 1)
}

async function listening(options: TcpTransportOptions = {}): Promise<TransportListener> {
  const on = await tcpTransport(options).listen('127.0.0.1:0', answer)
  closers.push(() => on.close())
  return on
}

interface Dialled {
  readonly isOpen: () => boolean
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Sends a message, and resolves to whether it was answered. */
  readonly ask: (first: number) => Promise<boolean>
}

/** A connection after the greetings of both sides, or before them if it is silent. */
async function dial({ address }: TransportListener, from = '127.0.0.1', silent = false): Promise<Dialled> {
  const [host, port] = address.split(':')
  const socket = createConnection({ host: host as string, port: Number(port), localAddress: from })
  closers.push(() => socket.destroy())
  let isOpen = true
  let receivedBytes = 0
  socket.on('error', () => {})
  socket.on('close', () => {
    isOpen = false
  })
  socket.on('data', (chunk) => {
    receivedBytes += chunk.length
  })
  const write = (bytes: Uint8Array) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  const receives = async (bytes: number): Promise<boolean> => {
    for (const deadline = Date.now() + 60_000; isOpen && receivedBytes < bytes; await sleep(2))
      if (Date.now() > deadline) throw new Error('waited for a minute')
    return receivedBytes >= bytes
  }
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve)
    socket.once('close', () => resolve())
  })
  if (!silent) {
    await write(GREETING)
    await receives(8)
  }
  const ask = async (first: number): Promise<boolean> => {
    const before = receivedBytes
    await write(frame(0, 1, new Uint8Array([first, 1, 2])))
    return receives(before + 10)
  }
  return { isOpen: () => isOpen, write, ask }
}

/** Waits until `is` returns true, in real time. Only a defect takes a minute. */
async function until(is: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !is(); await sleep(2))
    if (Date.now() > deadline) throw new Error('waited for a minute')
}

const open = (all: readonly Dialled[]): number => all.filter(({ isOpen }) => isOpen()).length

describe('TCP connections of unauthenticated peers', () => {
  it.each([
    ['that send nothing', true],
    ['that sent only a greeting', false],
  ])('%s are closed to make room for members, while connections of members stay open', async (_, silent) => {
    const on = await listening({ maxConnections: 6 })
    const member = await dial(on)
    expect(await member.ask(7)).toBe(true)
    const strangers: Dialled[] = []
    for (let n = 0; n < 12; n++) strangers.push(await dial(on, '127.0.0.1', silent))
    await until(() => open(strangers) <= 5)
    const members = [member]
    for (let n = 0; n < 5; n++) {
      const connection = await dial(on)
      expect(await connection.ask(7)).toBe(true)
      members.push(connection)
    }
    await until(() => open(strangers) === 0)
    // Members now use all connections.
    const late = await dial(on)
    await until(() => !late.isOpen())
    for (const member of members) expect(await member.ask(7)).toBe(true)
  })

  it('are closed first for the address that has the most connections', async () => {
    const on = await listening({ maxConnections: 8 })
    const quiet = await dial(on, '127.0.0.2')
    const flood: Dialled[] = []
    for (let n = 0; n < 30; n++) flood.push(await dial(on, '127.0.0.3'))
    await until(() => open(flood) <= 7)
    expect(quiet.isOpen()).toBe(true)
    expect(await quiet.ask(7)).toBe(true)
  })

  it('are limited for each address even if the listener could accept more connections', async () => {
    const on = await listening({ maxStrangersPerAddress: 3 })
    const members = [await dial(on, '127.0.0.4'), await dial(on, '127.0.0.4'), await dial(on, '127.0.0.4')]
    for (const member of members) await member.ask(7)
    const strangers: Dialled[] = []
    for (let n = 0; n < 10; n++) strangers.push(await dial(on, '127.0.0.4'))
    await until(() => open(strangers) === 3)
    expect(open(strangers.slice(-3))).toBe(3)
    expect(open(members)).toBe(3)
    expect(await (await dial(on, '127.0.0.5')).ask(1)).toBe(true)
  })

  it('are closed after a time limit even if they send messages', async () => {
    const on = await listening({ strangerMs: 300 })
    const [greeted, asking, member] = [await dial(on), await dial(on), await dial(on)]
    await member.ask(7)
    await until(() => {
      if (asking.isOpen()) void asking.write(frame(0, 1, new Uint8Array([1])))
      return !greeted.isOpen() && !asking.isOpen()
    })
    expect(await member.ask(1)).toBe(true)
  })

  it('that have sent long incomplete messages are closed when other connections need the memory', async () => {
    const on = await listening({ stallMs: 600_000, strangerMs: 600_000 })
    const almost = frame(0, 1, new Uint8Array(8_000_000), 8_388_608)
    const strangers: Dialled[] = []
    for (let n = 0; n < 34; n++) {
      const connection = await dial(on)
      strangers.push(connection)
      await connection.write(almost)
    }
    await until(() => open(strangers) === 32)
    const [member, otherConnection] = [await dial(on), await dial(on)]
    expect(await member.ask(7)).toBe(true)
    // There is memory for the greeting and the first message of a new peer, because it may become a member.
    expect(await otherConnection.ask(1)).toBe(true)
    await member.write(frame(0, 2, new Uint8Array(8_000_000).fill(7)))
    expect(await member.ask(7)).toBe(true)
    expect(open(strangers)).toBeGreaterThanOrEqual(29)
  })
})

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('siteOf returns for the address %s the group %s', (address, site) => {
  expect(siteOf(address)).toBe(site)
})
