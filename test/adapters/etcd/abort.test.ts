/** The caller that opened a storage can end all its calls before their deadlines. */
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type EtcdStorage, etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { OutcomeUnknown } from '../../../src/index.ts'
import { etcdHost, etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'

/** Longer than a test may take. */
const timeoutMs = 600_000
const put = (key: string) => ({ op: 'put', key, value: new Uint8Array(1) }) as const

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function open(hosts: string, signal: AbortSignal): EtcdStorage {
  const storage = etcdStorage({ hosts, prefix: freshPrefix(), timeoutMs, signal })
  undo.push(() => storage.close())
  return storage
}

/** A host that accepts every connection and never answers. @param onHeard Called when the host has received data. */
async function silentHost(onHeard: () => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', onHeard)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

describe('aborting the signal of an etcd storage', () => {
  it('ends calls that wait for a member that does not answer', async () => {
    const abort = new AbortController()
    let onRequest: () => void = () => {}
    const requested = new Promise<void>((resolve) => {
      onRequest = resolve
    })
    const storage = open(await silentHost(() => onRequest()), abort.signal)
    const calls = [storage.get('a'), storage.scan(''), storage.watch('', 0, () => undefined), storage.commit([put('a')], 'a')]
    const ends = Promise.allSettled(calls)
    await requested
    abort.abort()
    const reasons = (await ends).map((end) => end.status === 'rejected' && end.reason)
    for (const reason of reasons.slice(0, 3)) expect((reason as Error).message).toContain('the signal of the storage was aborted')
    expect(reasons[3]).toBeInstanceOf(OutcomeUnknown)
    await storage.close()
  })

  it.skipIf(etcdMissing !== undefined)(
    `makes later calls of this storage fail, but not those of other storages${etcdMissing ? ` (${etcdMissing})` : ''}`,
    async () => {
      const [host, abort] = [await etcdHost(), new AbortController()]
      const [storage, otherStorage] = [open(host, abort.signal), open(host, new AbortController().signal)]
      expect(await storage.commit([put('a')], 'a')).toMatchObject({ ok: true })
      await storage.watch('', 0, () => undefined)
      abort.abort()
      await expect(storage.get('a')).rejects.toThrow('aborted')
      await expect(storage.commit([put('b')], 'b')).rejects.toThrow('aborted')
      await expect(storage.watch('', 0, () => undefined)).rejects.toThrow('aborted')
      expect(await otherStorage.get('a')).toBeUndefined()
    },
  )
})
