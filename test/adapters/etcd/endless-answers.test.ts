/**
 * Etcd members that send endless answers: the call ends after a bounded number of bytes or at its deadline, however fast the answer
 * arrives.
 */
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'

const GIVES_UP_AT_BYTES = 64 * 1024 * 1024
/** 96 requests of the smallest configurable size, and the contents of the socket buffers on both sides. */
const MAX_SENT_BYTES = 32 * 1024 * 1024

const head = (bytes: number): Buffer => {
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(bytes, 1)
  return frame
}
const FILLER = Buffer.alloc(16_384, 0x66)

const FLOODS: Readonly<Record<string, { readonly head: Buffer; readonly chunk: Buffer }>> = {
  'one message': { head: head(0xffff_ffff), chunk: FILLER },
  'a message that is longer than any answer': { head: head(GIVES_UP_AT_BYTES), chunk: FILLER },
  'many messages': { head: Buffer.alloc(0), chunk: Buffer.concat([head(0), head(0)]) },
}

// Concurrently, because these tests only wait for their deadlines.
describe.concurrent('etcdStorage with a member that sends endless answers', () => {
  for (const [shape, flood] of Object.entries(FLOODS))
    for (const pauseMs of [0, 1])
      it(`ends a read after a bounded number of bytes: ${shape}, ${pauseMs === 0 ? 'fast' : 'slow'}`, async () => {
        let most = 0
        const send = (stream: ServerHttp2Stream): void => {
          let sent = 0
          stream.on('error', () => {})
          stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
          stream.write(flood.head)
          const more = (): void => {
            while (!stream.destroyed && !stream.closed && sent < GIVES_UP_AT_BYTES) {
              sent += flood.chunk.length
              most = Math.max(most, sent)
              if (!stream.write(flood.chunk)) return void stream.once('drain', more)
              if (pauseMs > 0) return void setTimeout(more, pauseMs)
            }
          }
          more()
        }
        const server = createServer()
        server.on('stream', send)
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const { port } = server.address() as AddressInfo
        const storage = etcdStorage({ hosts: `http://127.0.0.1:${port}`, timeoutMs: 300, maxRequestBytes: 262_144 })
        await expect(storage.get('key')).rejects.toThrow(/etcd/)
        await storage.close()
        await new Promise((resolve) => server.close(resolve))
        expect(most).toBeLessThan(MAX_SENT_BYTES)
      })
})
