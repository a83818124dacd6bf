/**
 * The contract of the transport port, tested with each transport.
 */

import { afterEach, describe, expect, it } from 'vitest'
import {
  MAX_REPLICATION_MESSAGE_BYTES,
  type MessageHandler,
  type ReplicationTransport,
  type TransportListener,
} from '../../../src/core/contract/replication-transport.ts'
import fc from '../../fixtures/fast-check.ts'

/** Two connected sides. */
export interface Sides {
  readonly listener: ReplicationTransport
  readonly requester: ReplicationTransport
  /** The address to pass to `listen`. */
  readonly listenAddress: string
  /** An address without a listener. */
  readonly unusedAddress: string
  close?(): void
}

export const never = (): AbortSignal => new AbortController().signal

/** Creates a new array with its own memory. */
export const bytesOf = (length: number, fill = length): Uint8Array => new Uint8Array(length).fill(fill % 251)

const echo: MessageHandler = async (message) => message

export function transportSuite(name: string, open: () => Promise<Sides> | Sides): void {
  describe(`the port, ${name}`, () => {
    const closers: (() => unknown)[] = []
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close()
    })

    const listening = async (handler: MessageHandler): Promise<Sides & { at: string; on: TransportListener }> => {
      const sides = await open()
      closers.push(() => sides.close?.())
      const on = await sides.listener.listen(sides.listenAddress, handler)
      closers.push(() => on.close())
      return { ...sides, at: on.address, on }
    }

    it('carries messages and answers of any length', async () => {
      const { requester, at } = await listening(async (message) => message.map((byte) => byte ^ 0xff))
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
          const answer = await requester.request(at, bytes, never())
          expect([...answer]).toEqual([...bytes].map((byte) => 255 - byte))
        }),
        { numRuns: 40 },
      )
    })

    it('carries empty messages and empty answers', async () => {
      const { requester, at } = await listening(async ({ length }) => new Uint8Array(length === 0 ? 3 : 0))
      expect(await requester.request(at, new Uint8Array(0), never())).toHaveLength(3)
      expect(await requester.request(at, new Uint8Array(1), never())).toHaveLength(0)
    })

    it('returns to each request its own answer, in whatever order handlers answer', async () => {
      const { requester, at } = await listening(async (message) => {
        for (let turns = message[0]! % 7; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
        return message
      })
      const all = Array.from({ length: 200 }, (_, n) => requester.request(at, Uint8Array.of(n, 255 - n), never()))
      for (const [n, answer] of (await Promise.all(all)).entries()) expect([...answer]).toEqual([n, 255 - n])
    })

    it('accepts messages and answers of the maximum length, and refuses longer ones', async () => {
      const lengths: number[] = []
      const { requester, at } = await listening(async (message) => {
        lengths.push(message.length)
        return message[0] === 1 ? new Uint8Array(MAX_REPLICATION_MESSAGE_BYTES + 1) : message
      })
      const most = bytesOf(MAX_REPLICATION_MESSAGE_BYTES, 7)
      const answer = await requester.request(at, most, never())
      expect(Buffer.compare(answer, most)).toBe(0)
      await expect(requester.request(at, bytesOf(MAX_REPLICATION_MESSAGE_BYTES + 1, 7), never())).rejects.toThrow(/8388608/)
      await expect(requester.request(at, Uint8Array.of(1), never())).rejects.toThrow(/did not answer/)
      expect(await requester.request(at, Uint8Array.of(2), never())).toHaveLength(1)
      expect(lengths).toEqual([MAX_REPLICATION_MESSAGE_BYTES, 1, 1])
    })

    it('copies messages and answers, so neither side sees changes by the other', async () => {
      const received: Uint8Array[] = []
      const { requester, at } = await listening(async (message) => {
        received.push(message)
        message[0] = 9
        return Uint8Array.of(4, 4)
      })
      const backing = Uint8Array.of(0, 1, 2, 3)
      const view = backing.subarray(1, 3)
      const answer = await requester.request(at, Buffer.from(backing.buffer, 1, 2), never())
      expect([...backing]).toEqual([0, 1, 2, 3])
      expect([...view]).toEqual([1, 2])
      answer[0] = 8
      expect(received.map((message) => [...message])).toEqual([[9, 2]])
      // A plain array with memory of its own, not a view of larger memory.
      for (const bytes of [answer, received[0]!]) {
        expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype)
        expect(bytes.buffer.byteLength).toBe(2)
      }
    })

    it('has copied the message when a request is aborted', async () => {
      const seen: number[][] = []
      const { requester, at } = await listening(async (message) => {
        seen.push([...message])
        return message
      })
      const stop = new AbortController()
      const bytes = Uint8Array.of(5, 5)
      const pending = requester.request(at, bytes, stop.signal)
      stop.abort()
      await expect(pending).rejects.toThrow()
      bytes.fill(6)
      await requester.request(at, Uint8Array.of(1, 1), never())
      for (const message of seen)
        expect([
          [5, 5],
          [1, 1],
        ]).toContainEqual(message)
    })

    it('rejects immediately with the reason of an aborted signal, and sends nothing if it was aborted before', async () => {
      let requests = 0
      const { requester, at } = await listening((message) => {
        requests++
        return message[0] === 1 ? echo(message) : new Promise(() => {})
      })
      const reason = new Error('enough')
      await expect(requester.request(at, Uint8Array.of(0), AbortSignal.abort(reason))).rejects.toBe(reason)
      await requester.request(at, Uint8Array.of(1), never())
      expect(requests).toBe(1)

      const stop = new AbortController()
      const waiting = requester.request(at, Uint8Array.of(0), stop.signal)
      while (requests < 2) await new Promise((resolve) => setImmediate(resolve))
      let turns = 0
      const settled = waiting.catch((error: unknown) => ({ error, turns }))
      stop.abort(reason)
      setImmediate(() => turns++)
      expect(await settled).toEqual({ error: reason, turns: 0 })
      expect([...(await requester.request(at, Uint8Array.of(1), never()))]).toEqual([1])
    })

    it('removes its listener from a signal that outlives the request', async () => {
      const { requester, at } = await listening(echo)
      const { signal } = new AbortController()
      let listeners = 0
      const add = signal.addEventListener.bind(signal)
      const remove = signal.removeEventListener.bind(signal)
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        listeners++
        add(...args)
      }
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        listeners--
        remove(...args)
      }
      for (let n = 0; n < 5; n++) await requester.request(at, bytesOf(n), signal)
      expect(listeners).toBe(0)
    })

    it.each<[string, MessageHandler]>([
      [
        'throws',
        () => {
          throw new Error('a secret')
        },
      ],
      ['rejects', () => Promise.reject(new Error('a secret'))],
      ['returns text', async () => 'text' as unknown as Uint8Array],
      ['returns undefined', async () => undefined as unknown as Uint8Array],
    ])('rejects a request whose handler %s without revealing its error, and keeps working', async (_, fails) => {
      const { requester, at } = await listening((message) => (message.length === 0 ? fails(message) : echo(message)))
      const error = await requester.request(at, new Uint8Array(0), never()).catch((thrown: Error) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(String((error as Error).stack)).not.toContain('a secret')
      expect(await requester.request(at, bytesOf(2), never())).toHaveLength(2)
    })

    it('rejects a request if nothing listens at the address, or no longer', async () => {
      const { requester, unusedAddress, at, on } = await listening(echo)
      await expect(requester.request(unusedAddress, bytesOf(1), never())).rejects.toThrow()
      expect(await requester.request(at, bytesOf(1), never())).toHaveLength(1)
      await Promise.all([on.close(), on.close()])
      await on.close()
      await expect(requester.request(at, bytesOf(1), never())).rejects.toThrow()
    })

    it('answers again after a new listener started at the address', async () => {
      const { requester, listener, at, on } = await listening(echo)
      await requester.request(at, bytesOf(1), never())
      await on.close()
      await requester.request(at, bytesOf(1), never()).catch(() => {})
      const again = await listener.listen(at, async () => bytesOf(3))
      closers.push(() => again.close())
      expect(again.address).toBe(at)
      expect(await requester.request(at, bytesOf(1), never())).toHaveLength(3)
    })

    it('chooses an address for a listener without one', async () => {
      const { listener } = await listening(echo)
      const chosen = await listener.listen('', echo)
      closers.push(() => chosen.close())
      expect(chosen.address).not.toBe('')
    })

    it('refuses arguments of other types', async () => {
      const { requester, listener, at } = await listening(echo)
      const wrong = (value: unknown): never => value as never
      await expect(requester.request(at, wrong('text'), never())).rejects.toThrow(TypeError)
      await expect(requester.request(at, wrong([1, 2]), never())).rejects.toThrow(TypeError)
      await expect(requester.request(at, bytesOf(1), wrong(undefined))).rejects.toThrow(TypeError)
      await expect(requester.request(wrong(7), bytesOf(1), never())).rejects.toThrow()
      await expect(listener.listen(wrong(7), echo)).rejects.toThrow(TypeError)
      await expect(listener.listen(at, wrong(undefined))).rejects.toThrow(TypeError)
    })
  })
}
