/** Processes that communicate over TCP, and exit, are killed or are paused. */
import { afterEach, describe, expect, it } from 'vitest'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { type Child, startChild } from '../../fixtures/child.ts'
import { freeAddress } from '../../fixtures/free-address.ts'
import { answering } from './raw.ts'
import { never } from './suite.ts'
import type { ChildArguments } from './tcp.child.ts'

const PROGRAM = 'test/replication/transports/tcp.child.ts'

const children: Child[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

function start(options: ChildArguments): { readonly child: Child; readonly messages: AsyncIterator<unknown> } {
  const child = startChild(PROGRAM, options)
  children.push(child)
  return { child, messages: child.messages[Symbol.asyncIterator]() }
}

describe('a process that uses a TCP transport', () => {
  it('exits by itself while a connection is kept open, if its listener is closed', async () => {
    await using server = await answering()
    const child = startChild(PROGRAM, { requests: server.address } satisfies ChildArguments)
    const received: unknown[] = []
    for await (const message of child.messages) received.push(message)
    expect(await child.ended).toBe('done')
    expect(received).toEqual([[1], 'closed'])
  })

  it('that is killed fails its pending requests, and answers again after a restart', async () => {
    const transport = tcpTransport()
    const address = await freeAddress()
    const { child, messages } = start({ listens: address })
    expect((await messages.next()).value).toBe(address)
    expect([...(await transport.request(address, Uint8Array.of(3), never()))]).toEqual([3])
    const hanging = transport.request(address, new Uint8Array(0), never())
    hanging.catch(() => {})
    expect((await messages.next()).value).toBe('hangs')
    child.kill()
    await expect(hanging).rejects.toThrow(/lost/)
    await child.ended
    await expect(transport.request(address, Uint8Array.of(3), never())).rejects.toThrow(/lost/)
    const again = start({ listens: address })
    expect((await again.messages.next()).value).toBe(address)
    expect([...(await transport.request(address, Uint8Array.of(4), never()))]).toEqual([4])
  })

  it('that is paused lets requests to it time out, and answers again after it is resumed', async () => {
    const transport = tcpTransport()
    const { child, messages } = start({ listens: '' })
    const address = (await messages.next()).value as string
    await transport.request(address, Uint8Array.of(3), never())
    child.pause()
    await expect(transport.request(address, Uint8Array.of(3), AbortSignal.timeout(200))).rejects.toThrow(/timeout/)
    child.resume()
    expect([...(await transport.request(address, Uint8Array.of(4), never()))]).toEqual([4])
  })
})
