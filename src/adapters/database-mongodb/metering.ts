/**
 * Bounds what members of a cluster send. The driver opens its connections by itself, also to members that it hears of, and takes no sockets; but it
 * takes the class of its connections, which gets each socket before anything is read from it.
 */
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { AnswerEncoded, AnswerTooLong, checkChunks } from '../network/byte-meter.ts'
import type { MongoModule } from './driver.ts'

/** Bytes of one message. Answers to commands about users are a few kilobytes; the driver would wait for 2 GiB. */
const MAX_MESSAGE_BYTES = 1_048_576

/** Bytes of many messages at once, and per second from then on: members report their state for as long as a connection is open. */
const MAX_BURST_BYTES = 4_194_304
const BYTES_PER_SECOND = 65_536

/** Length, two numbers of requests and the kind of message, of four bytes each. */
const HEAD_BYTES = 16
const LENGTH_BYTES = 4
const KIND_OFFSET = 12
/** The driver decompresses such a message whether or not it asked for them. */
const OP_COMPRESSED = 2012

type ConnectionClass = new (socket: Duplex, options: object) => object

/** Reads the heads of messages, in chunks of any size. */
function messageCheck(): (chunk: Uint8Array) => void {
  const head = new DataView(new ArrayBuffer(HEAD_BYTES))
  let headBytes = 0
  /** Bytes of the message that are still to come. */
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
      // A length shorter than the head is invalid; the driver refuses the message.
      left = Math.max(0, head.getUint32(0, true) - HEAD_BYTES)
      headBytes = 0
    }
  }
}

/** The files of packages that were loaded, by path. */
interface LoadedModule {
  readonly exports?: { readonly MongoClient?: unknown }
}

/**
 * The driver's own class of connections, from the copy of the package that `mongodb` is of.
 * @throws TypeError when it was bundled into another file, since nothing could bound what it reads.
 */
export function connectionClassOf({ MongoClient }: MongoModule): ConnectionClass {
  const { cache } = createRequire(import.meta.url)
  for (const [path, module] of Object.entries(cache as Readonly<Record<string, LoadedModule | undefined>>)) {
    if (!/[\\/]mongodb[\\/]lib[\\/]index\.js$/.test(path) || module?.exports?.MongoClient !== MongoClient) continue
    const { Connection } = createRequire(path)('./cmap/connection.js') as { readonly Connection?: ConnectionClass }
    if (typeof Connection === 'function') return Connection
  }
  throw new TypeError('mongodb: must be the installed package mongodb; a bundled copy cannot be bounded in what it reads')
}

/**
 * The class of connections that ends one whose peer sends too much.
 * @param onExcess Called with the error, {@link AnswerTooLong} or {@link AnswerEncoded}, before the driver hears of it.
 */
export function meteredConnections(Connection: ConnectionClass, onExcess: (error: Error) => void): ConnectionClass {
  return class extends (Connection as new (socket: Duplex, options: object) => object) {
    constructor(socket: Duplex, options: object) {
      socket.once('error', (error) => {
        if (error instanceof AnswerTooLong || error instanceof AnswerEncoded) onExcess(error)
      })
      // The client speaks first in this protocol, so bytes that arrive earlier cannot be parsed.
      if (socket.readableLength > 0) socket.destroy(new AnswerTooLong(0))
      super(checkChunks(socket, messageCheck()), options)
    }
  }
}
