/**
 * Limits the bytes that members of a MongoDB cluster can send. The driver opens all sockets itself, also those to members that it
 * discovers, and has no option for supplying sockets. But it has an option for the connection class, whose constructor receives each socket
 * before anything is read from the socket.
 */
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { AnswerEncoded, AnswerTooLong, checkChunks } from '../network/byte-meter.ts'
import type { MongoModule } from './driver.ts'

/** The maximum size of one message. Answers to commands about users have a few kilobytes. The driver would accept 2 GiB. */
const MAX_MESSAGE_BYTES = 1_048_576

/**
 * The limit for all messages of one connection together: a burst of at most `MAX_BURST_BYTES`, which is refilled with `BYTES_PER_SECOND`. A
 * fixed total would not do, because members report their state for as long as the connection is open.
 */
const MAX_BURST_BYTES = 4_194_304
const BYTES_PER_SECOND = 65_536

/** The message header: length, request id, id of the answered request, and opcode, four little-endian bytes each. */
const HEAD_BYTES = 16
const LENGTH_BYTES = 4
const KIND_OFFSET = 12
/** The opcode of compressed messages. The driver decompresses them even if it did not request compression. */
const OP_COMPRESSED = 2012

type ConnectionClass = new (socket: Duplex, options: object) => object

/** Checks the headers of messages that arrive in chunks of any size. */
function messageCheck(): (chunk: Uint8Array) => void {
  const head = new DataView(new ArrayBuffer(HEAD_BYTES))
  let headBytes = 0
  /** The number of bytes of the current message that have not arrived. */
  let left = 0
  let burst = MAX_BURST_BYTES
  let at = performance.now()
  const spend = (bytes: number): void => {
    const now = performance.now()
    burst = Math.min(MAX_BURST_BYTES, burst + ((now - at) / 1000) * BYTES_PER_SECOND) - bytes
    at = now
    if (burst < 0) throw new AnswerTooLong(MAX_BURST_BYTES)
  }
  return (chunk) => {
    spend(chunk.length)
    for (let from = 0; from < chunk.length; ) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - from)
        left -= taken
        from += taken
        continue
      }
      head.setUint8(headBytes++, chunk[from++] as number)
      if (headBytes === LENGTH_BYTES && head.getUint32(0, true) > MAX_MESSAGE_BYTES) throw new AnswerTooLong(MAX_MESSAGE_BYTES)
      if (headBytes < HEAD_BYTES) continue
      if (head.getUint32(KIND_OFFSET, true) === OP_COMPRESSED) throw new AnswerEncoded()
      // A length shorter than the header is invalid, and the driver refuses the message.
      left = Math.max(0, head.getUint32(0, true) - HEAD_BYTES)
      headBytes = 0
    }
  }
}

/** An entry of Node's cache of CommonJS modules. */
interface LoadedModule {
  readonly exports?: { readonly MongoClient?: unknown }
}

/**
 * Returns the driver's connection class, from the same installed copy of the package as `mongodb`.
 * @throws TypeError if the driver was bundled into another file, because its reads could not be limited then.
 */
export function connectionClassOf({ MongoClient }: MongoModule): ConnectionClass {
  const { cache } = createRequire(import.meta.url)
  for (const [path, module] of Object.entries(cache as Readonly<Record<string, LoadedModule | undefined>>)) {
    if (!/[\\/]mongodb[\\/]lib[\\/]index\.js$/.test(path) || module?.exports?.MongoClient !== MongoClient) continue
    const { Connection } = createRequire(path)('./cmap/connection.js') as { readonly Connection?: ConnectionClass }
    if (typeof Connection === 'function') return Connection
  }
  throw new TypeError('mongodb: must be the installed package mongodb; the reads of a bundled copy cannot be limited')
}

/**
 * Returns a connection class that closes a connection whose peer sends too much.
 * @param onExcess Called with the error, {@link AnswerTooLong} or {@link AnswerEncoded}, before the driver receives it.
 */
export function meteredConnections(Connection: ConnectionClass, onExcess: (error: Error) => void): ConnectionClass {
  return class extends (Connection as new (socket: Duplex, options: object) => object) {
    constructor(socket: Duplex, options: object) {
      socket.once('error', (error) => {
        if (error instanceof AnswerTooLong || error instanceof AnswerEncoded) onExcess(error)
      })
      // In this protocol the client sends first, so the peer must not have sent anything yet.
      if (socket.readableLength > 0) socket.destroy(new AnswerTooLong(0))
      super(checkChunks(socket, messageCheck()), options)
    }
  }
}
