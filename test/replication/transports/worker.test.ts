import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { workerTransport } from '../../../src/adapters/replication-worker/index.ts'
import { compiled } from '../../fixtures/compiled.ts'
import { bytesOf, never } from './suite.ts'
import type { WorkerArguments } from './worker.child.ts'

let program: URL
beforeAll(() => {
  program = new URL(compiled('test/replication/transports/worker.child.ts'))
}, 120_000)

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Started {
  readonly port: MessagePort
  readonly worker: Worker
  readonly exited: Promise<unknown[]>
}

function start(task: WorkerArguments['task']): Started {
  const { port1, port2 } = new MessageChannel()
  const workerData: WorkerArguments = { port: port2, task }
  const worker = new Worker(program, { workerData, transferList: [port2] })
  closers.push(() => worker.terminate())
  closers.push(() => port1.close())
  return { port: port1, worker, exited: once(worker, 'exit') }
}

describe('a worker thread with a replication transport', () => {
  it('answers requests, even those that were sent before it was ready', async () => {
    const { port } = start('answers')
    const transport = workerTransport({ peers: { worker: port } })
    expect([...(await transport.request('worker', Uint8Array.of(1, 2, 255), never()))]).toEqual([2, 3, 0])
    const large = bytesOf(5_000_000, 3)
    expect(Buffer.compare(await transport.request('worker', large, never()), bytesOf(5_000_000, 4))).toBe(0)
    // A copy was transferred.
    expect(large).toHaveLength(5_000_000)
  })

  it('keeps running while it listens, and otherwise exits after the last request', async () => {
    const listening = start('answers')
    await once(listening.worker, 'message')
    const stayed = await Promise.race([listening.exited.then(() => false), sleep(300, true)])
    expect(stayed).toBe(true)

    for (const task of ['asks', 'asks and listens'] as const) {
      const { port, worker, exited } = start(task)
      const on = await workerTransport({ peers: { worker: port } }).listen('main', async (message) => {
        await sleep(200)
        return message
      })
      closers.push(() => on.close())
      const [first] = await once(worker, 'message')
      expect(first).toEqual([1, 2])
      expect(await exited).toEqual([0])
    }
  })

  it('that has exited causes pending and later requests to be rejected', async () => {
    const { port, exited } = start('answers')
    const transport = workerTransport({ peers: { worker: port } })
    await transport.request('worker', bytesOf(1), never())
    const hanging = transport.request('worker', new Uint8Array(0), never())
    hanging.catch(() => {})
    await expect(transport.request('worker', Uint8Array.of(0), never())).rejects.toThrow(/closed/)
    await expect(hanging).rejects.toThrow(/closed/)
    expect(await exited).toEqual([7])
    await expect(transport.request('worker', bytesOf(1), never())).rejects.toThrow(/closed/)
  })

  it('cannot disturb the transport with invalid messages or with shared memory in a message', async () => {
    const { port, worker } = start('garbage')
    const seen: Uint8Array[] = []
    const messages: unknown[] = []
    worker.on('message', (message) => messages.push(message))
    const on = await workerTransport({ peers: { worker: port } }).listen('main', async (message) => {
      seen.push(message)
      return message
    })
    closers.push(() => on.close())
    while (messages.length < 2) await sleep(5)
    expect(messages).toEqual(['posted', [2, 'answer']])
    expect(seen.map((message) => [...message])).toEqual([[5, 5, 5]])
    // The handler received a copy of its own.
    expect(seen[0]!.buffer).toBeInstanceOf(ArrayBuffer)
    expect(seen[0]!.buffer.byteLength).toBe(3)
  })
})

describe('message ports of workerTransport', () => {
  const channel = (): MessageChannel => {
    const made = new MessageChannel()
    closers.push(() => made.port1.close())
    return made
  }

  it('connect several named peers, and distribute requests over all listeners of a peer', async () => {
    const [a, b] = [channel(), channel()]
    const center = workerTransport({ peers: { a: a.port1, b: b.port1 } })
    const sides = { a: workerTransport({ peers: { center: a.port2 } }), b: workerTransport({ peers: { center: b.port2 } }) }
    for (const [n, on] of [
      [1, await center.listen('center', async () => Uint8Array.of(1))],
      [2, await center.listen('center', async () => Uint8Array.of(2))],
    ] as const) {
      expect([n, on.address]).toEqual([n, 'center'])
      closers.push(() => on.close())
    }
    const own = await sides.b.listen('', async () => Uint8Array.of(3))
    closers.push(() => own.close())
    expect(own.address).toBe('worker')
    const answers = [sides.a, sides.b, sides.a, sides.b].map((side) => side.request('center', bytesOf(1), never()))
    expect((await Promise.all(answers)).map(([n]) => n).sort()).toEqual([1, 1, 2, 2])
    expect([...(await center.request('b', bytesOf(1), never()))]).toEqual([3])
    await expect(center.request('c', bytesOf(1), never())).rejects.toThrow(/no peer/)
  })

  it('reject a request immediately if the other side is ready but does not listen', async () => {
    const { port1, port2 } = channel()
    const [firstTransport, otherTransport] = [
      workerTransport({ peers: { other: port1 } }),
      workerTransport({ peers: { one: port2 } }),
    ]
    const waiting = firstTransport.request('other', bytesOf(1), never())
    await expect(otherTransport.request('one', bytesOf(1), never())).rejects.toThrow(/did not answer/)
    await expect(waiting).rejects.toThrow(/did not answer/)
  })

  it('refuse a request while 256 requests of the port are in progress', async () => {
    const { port1, port2 } = channel()
    let [underWay, answer] = [0, (): void => {}]
    const released = new Promise<void>((resolve) => {
      answer = resolve
    })
    const on = await workerTransport({ peers: { other: port1 } }).listen('one', async (message) => {
      underWay++
      await released
      return message
    })
    closers.push(() => on.close())
    const otherTransport = workerTransport({ peers: { one: port2 } })
    const requests = Array.from({ length: 300 }, () => otherTransport.request('one', bytesOf(1), never()))
    const settled = Promise.allSettled(requests)
    await expect(requests[299]).rejects.toThrow(/did not answer/)
    expect(underWay).toBe(256)
    answer()
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(256)
    expect(await otherTransport.request('one', bytesOf(1), never())).toHaveLength(1)
  })

  it('can also carry other messages of the application', async () => {
    const { port1, port2 } = channel()
    const on = await workerTransport({ peers: { other: port1 } }).listen('one', async (message) => message)
    closers.push(() => on.close())
    const otherTransport = workerTransport({ peers: { one: port2 } })
    const greetings: unknown[] = []
    port1.on('message', (message: { readonly hello?: unknown }) => greetings.push(message.hello))
    port2.postMessage({ hello: 'you' })
    await otherTransport.request('one', bytesOf(1), never())
    expect(greetings[0]).toBe('you')
  })

  it('are refused with a TypeError if they are not message ports with names', () => {
    const wrong = (peers: unknown) => () => workerTransport({ peers } as never)
    for (const peers of [
      undefined,
      null,
      'text',
      { a: undefined },
      { a: {} },
      { a: { postMessage: () => {} } },
      { '': channel().port1 },
    ])
      expect(wrong(peers)).toThrow(TypeError)
  })
})
